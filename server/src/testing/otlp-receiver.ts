import { once } from 'node:events'
import { createServer } from 'node:http'

/** A span as OTLP/HTTP sends it in JSON; only what tests look at. */
export type ReceivedSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: Record<string, unknown>
  links: { traceId: string; spanId: string }[]
  /** 2 is an error. */
  status: number
}

export type OtlpReceiver = {
  url: string
  spans: () => readonly ReceivedSpan[]
  /** Of what sent the spans. */
  resources: () => readonly Record<string, unknown>[]
  headers: () => readonly NodeJS.Dict<string | string[]>[]
  /** Requests stay without an answer from now on. */
  hang: () => void
  close: () => Promise<void>
}

type KeyValue = { key: string; value: Record<string, unknown> }
type SentSpan = Omit<ReceivedSpan, 'attributes' | 'status' | 'links'> & {
  attributes?: KeyValue[]
  links?: ReceivedSpan['links']
  status?: { code?: number }
}
type Sent = {
  resourceSpans?: {
    resource?: { attributes?: KeyValue[] }
    scopeSpans?: { spans?: SentSpan[] }[]
  }[]
}

/** A real receiver of OTLP over HTTP, as collectors are. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const resources: Record<string, unknown>[] = []
  const headers: NodeJS.Dict<string | string[]>[] = []
  let isHanging = false
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    if (isHanging) return
    if (request.url !== '/v1/traces') return void response.writeHead(404).end()
    headers.push(request.headers)
    const sent: Sent = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    for (const { resource, scopeSpans = [] } of sent.resourceSpans ?? []) {
      resources.push(valuesOf(resource?.attributes))
      spans.push(...scopeSpans.flatMap((scope) => scope.spans ?? []).map(toSpan))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => spans,
    resources: () => resources,
    headers: () => headers,
    hang: () => {
      isHanging = true
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function toSpan({ attributes, links = [], status, ...span }: SentSpan): ReceivedSpan {
  return { ...span, attributes: valuesOf(attributes), links, status: status?.code ?? 0 }
}

function valuesOf(attributes: readonly KeyValue[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
