import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { createMcpServer } from '@assay/cli/mcp'
import { createClient, isRecord, mcpEndpoint, Problem, type ProblemSlug } from '@assay/contract'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../platform/clock.ts'

type McpRequest = {
  app: FastifyInstance
  request: FastifyRequest
  reply: FastifyReply
  body: unknown
  now: Clock
  version: string
}

/** No subscriptions: the tools change with a release only, and contracts are read when they are needed. */
const subscriptionsMax = 0
/** Headers that identify the caller; the tools forward them. */
const identifying = ['authorization', 'x-assay-workspace'] as const
/** Headers of the connection, not of the message. */
const ofConnection = /^(?:content-length|content-encoding|transfer-encoding|connection|host)$/

/** Answers one message of the protocol with a new server. */
export async function answerMcp({
  app,
  request,
  reply,
  body,
  now,
  version,
}: McpRequest): Promise<FastifyReply> {
  const client = createClient({ baseUrl: 'http://assay.internal', fetch: insideFetch(app, request) })
  const handler = createMcpHandler(() => createMcpServer({ client, now, version }), {
    maxSubscriptions: subscriptionsMax,
    onerror: (error) => request.log.info({ err: error }, 'mcp'),
  })
  const headers = Object.entries(request.headers).flatMap(([name, value]): [string, string][] =>
    typeof value === 'string' && !ofConnection.test(name) ? [[name, value]] : [],
  )
  const url = `http://assay.internal${mcpEndpoint.path}`
  const asked = new Request(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const said = await handler.fetch(asked, { parsedBody: body })
  if (said.status >= 400) throw await asProblem(said)
  reply.code(said.status)
  for (const [name, value] of said.headers) reply.header(name, value)
  if (said.body === null) return reply.send()
  // boundary: the stream of a Response and that of Node are the same at run time, and two types.
  return reply.send(Readable.fromWeb(said.body as ReadableStream))
}

/** By the status of the protocol's own server; none of ours has 406. */
const slugs: Readonly<Record<number, ProblemSlug>> = {
  404: 'not-found',
  405: 'method-not-allowed',
  413: 'payload-too-large',
  415: 'unsupported-media-type',
  500: 'internal',
}

/** A refusal of the protocol as a problem; it contains the protocol's own error for its clients. */
async function asProblem(said: Response): Promise<Problem> {
  const text = await said.text()
  const own = parsed(text)
  const error = isRecord(own) && isRecord(own.error) ? own.error : {}
  const detail = typeof error.message === 'string' ? error.message : 'This is no message of the protocol.'
  return new Problem(slugs[said.status] ?? 'malformed-request', {
    detail,
    members: isRecord(own) ? { jsonrpc: own.jsonrpc, id: own.id ?? null, error } : {},
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Calls a route of this process with the caller's credential, so that every check and limit applies. */
function insideFetch(app: FastifyInstance, request: FastifyRequest): typeof fetch {
  const own = identifying.flatMap((name): [string, string][] => {
    const value = request.headers[name]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return async (input, init) => {
    const { pathname, search } = new URL(String(input))
    const { statusCode, headers, payload } = await app.inject({
      method: init?.method === 'POST' ? 'POST' : 'GET',
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(new Headers(init?.headers)), ...Object.fromEntries(own) },
      remoteAddress: request.ip,
      ...(typeof init?.body === 'string' && { payload: init.body }),
    })
    const type = String(headers['content-type'] ?? 'application/json')
    return new Response(payload, { status: statusCode, headers: { 'content-type': type } })
  }
}
