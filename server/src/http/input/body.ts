import { PassThrough, pipeline, Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { cut, ingestLimits, Problem, routes } from '@assay/contract'
import type { FastifyInstance, FastifyRequest, RequestPayload } from 'fastify'
import { otherClientOf, translateClients } from './client-body.ts'
import { parseJson } from './json.ts'
import { requireShallow } from './shallow-json.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Length of the decompressed body: it limits the size of the answer. */
    bodyCharacters: number
  }
}

/**
 * JSON bodies, also sent as text (beacons must avoid a preflight), and compressed with gzip, deflate or
 * brotli.
 */
export function readBodies(app: FastifyInstance, now: () => number): void {
  app.decorateRequest('bodyCharacters', 0)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    ['application/json', 'application/x-ndjson', 'text/plain'],
    { parseAs: 'string' },
    (request, text, done) => {
      try {
        done(null, readText(request, text.toString()))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
  // RudderStack's SDK compresses JSON and labels it as a form.
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (request, text, done) => {
      try {
        if (otherClientOf(request) === undefined && !sendPaths.has(request.routeOptions.url ?? ''))
          throw asForm
        done(null, readText(request, text.toString()))
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)))
      }
    },
  )
  translateClients(app, now)
  // A GET or DELETE with an empty body of another type is not refused.
  app.addHook('preParsing', (request, _reply, payload, done) => {
    try {
      done(null, decompress(request, payload))
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/** Only where events are sent: any page can make a browser submit a form, with its visitor's cookies. */
const sendPaths: ReadonlySet<string> = new Set(
  routes.filter((route) => route.access === 'send').map((route) => route.path),
)
const asForm = new Problem('unsupported-media-type', {
  detail: 'Send JSON as application/json, not as a form.',
})

function readText(request: FastifyRequest, text: string): unknown {
  if (text === '' && (request.method === 'GET' || request.method === 'DELETE')) return undefined
  request.bodyCharacters = text.length
  // A client of another tool has forms of its own.
  if (otherClientOf(request) !== undefined) return text
  const value = parseJson(text)
  requireShallow(value)
  return value
}

const decoders = {
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  deflate: () => createInflate(),
  // The window is limited so that a few bytes cannot reserve hundreds of megabytes.
  br: () => createBrotliDecompress({ params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 0 } }),
}

function decompress(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') {
    return otherClientOf(request) === undefined ? payload : unpacked(request, payload)
  }
  if (!isKnown(encoding)) {
    throw new Problem('unsupported-media-type', {
      detail: `Content-Encoding ${cut(encoding, 40)} is not understood. Use gzip, br or none.`,
    })
  }
  takeLength(request)
  delete request.headers['content-encoding']
  const output = pipeline(payload, decoders[encoding](), boundedTo(ingestLimits.bodyBytesMax), () => {})
  output.once('error', () => payload.resume())
  return output
}

/** The declared length is that of the compressed body; Fastify would compare it with the decompressed one. */
function takeLength({ headers }: FastifyRequest): void {
  if (Number(headers['content-length']) > ingestLimits.bodyBytesMax) {
    throw new Problem('payload-too-large', {
      detail: 'The body is over 4 MB. Send fewer events in one request.',
    })
  }
  delete headers['content-length']
}

/** PostHog's client compresses and does not say so. No text begins with the first byte of gzip. */
function unpacked(request: FastifyRequest, payload: RequestPayload): RequestPayload {
  takeLength(request)
  const output = new PassThrough()
  payload.once('readable', () => {
    const first: unknown = payload.read()
    if (Buffer.isBuffer(first)) payload.unshift(first)
    const isPacked = Buffer.isBuffer(first) && first[0] === 0x1f
    const unpack = isPacked ? [createGunzip(), boundedTo(ingestLimits.bodyBytesMax)] : []
    pipeline([payload, ...unpack, output], () => {})
  })
  output.once('error', () => payload.resume())
  return output
}

function isKnown(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding)
}

/** Stops a decompression bomb while it unfolds, before it fills the memory. */
function boundedTo(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes <= bytesMax) return done(null, chunk)
      return done(
        new Problem('payload-too-large', {
          detail: `The body unpacks to more than ${bytesMax / 1024 / 1024} MB. Send fewer events in one request.`,
        }),
      )
    },
  })
}
