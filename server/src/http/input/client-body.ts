import { isRecord, type OtherClient, requireFewEvents, translators } from '@assay/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { parseJson } from './json.ts'
import { requireShallow } from './shallow-json.ts'

/** The other tool whose client sent this request; undefined for our own routes. */
export function otherClientOf(request: FastifyRequest): OtherClient | undefined {
  return request.routeOptions.config.declared?.client
}

const queryOf = ({ query }: FastifyRequest): Record<string, unknown> => (isRecord(query) ? query : {})

/** Requests of other tools' clients become batches of ours, before a key or an event is looked for. */
export function translateClients(app: FastifyInstance, now: () => number): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const client = otherClientOf(request)
    if (client === undefined) return done()
    try {
      const query = queryOf(request)
      const body = decoded(request.body ?? formOf(query), contentTypeOf(request))
      const { key, calls, sentAt } = translators[client]({ body, query, nowMs: now() })
      request.body = { ...(key !== null && { writeKey: key }), batch: calls, sent_at: sentAt }
      done()
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)))
    }
  })
}

/** A request without a body may have it in the query, as a form would. */
const formOf = ({ data }: Record<string, unknown>) =>
  typeof data === 'string' ? new URLSearchParams({ data }).toString() : undefined
const formType = 'application/x-www-form-urlencoded'
const contentTypeOf = ({ body, headers }: FastifyRequest) =>
  body === undefined ? formType : (headers['content-type'] ?? '')

/** JSON, lines of JSON, or a form: with the JSON in `data`, at times as base64, or with the members themselves. */
function decoded(body: unknown, contentType: string): unknown {
  if (typeof body !== 'string' || body === '') return undefined
  const isForm = contentType.startsWith(formType)
  const value = isForm && !/^\s*[[{]/.test(body) ? formValue(body) : jsonValue(body, contentType)
  requireShallow(value)
  return value
}

function formValue(body: string): unknown {
  const form = new URLSearchParams(body)
  const data = form.get('data')
  if (data === null) return Object.fromEntries(form)
  return parseJson(/^\s*[[{]/.test(data) ? data : Buffer.from(data, 'base64').toString('utf8'))
}

function jsonValue(body: string, contentType: string): unknown {
  if (!contentType.startsWith('application/x-ndjson')) return parseJson(body)
  const lines = body.split('\n').filter((line) => line.trim() !== '')
  return requireFewEvents(lines).map(parseJson)
}
