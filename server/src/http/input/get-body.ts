import { Problem } from '@assay/contract'
import type { FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { requireShallow } from './shallow-json.ts'

/** A GET has few fields, so a larger body is refused. */
const bodyBytesMax = 16_384

/** The JSON body of a GET, which the framework does not read; null without one. */
export async function readGetBody(request: FastifyRequest): Promise<unknown> {
  const { headers, raw } = request
  const length = Number(headers['content-length'] ?? 0)
  if (length === 0 && headers['transfer-encoding'] === undefined) return null
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of raw) {
    bytes += chunk.length
    if (bytes > bodyBytesMax) {
      throw new Problem('payload-too-large', { detail: `The body of a GET may have ${bodyBytesMax} bytes.` })
    }
    chunks.push(Buffer.from(chunk))
  }
  const text = Buffer.concat(chunks).toString('utf8').trim()
  if (text === '') return null
  const value = parsed(text)
  requireShallow(value)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('malformed-request', { detail: 'The body is not JSON.', cause })
  }
}

/** Refuses like the framework does, with the field named. */
export function requireShape<Shape extends object>(
  request: FastifyRequest,
  schema: TSchema,
  value: unknown,
): asserts value is Shape {
  const validate = request.getValidationFunction(schema) ?? request.compileValidationSchema(schema, 'body')
  if (validate(value)) return
  const [issue] = validate.errors ?? []
  const missing = issue?.params?.missingProperty ?? issue?.params?.additionalProperty
  const field = String(missing ?? issue?.instancePath?.slice(1).replaceAll('/', '.') ?? '')
  const message = issue?.message ?? 'is not valid'
  throw new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}
