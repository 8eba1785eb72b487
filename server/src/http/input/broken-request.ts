import { type ProblemSlug, problems } from '@assay/contract'
import { allowanceHeaders } from '../limits/allowance.ts'
import type { Limits } from '../limits/limits.ts'
import { securityHeaders } from '../security-headers.ts'

type Socket = {
  writable: boolean
  remoteAddress?: string | undefined
  end: (text: string) => void
  destroy: (error?: Error) => void
}

type BrokenRequestOptions = {
  limits: Limits
  errorsUrl: () => string
  publicUrl: () => string
  newRequestId: () => string
}

type Refusal = readonly [slug: ProblemSlug, detail: string]

const unreadable: Refusal = ['malformed-request', 'This is not a readable HTTP request.']
/** By the code of Node's parser. */
const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: ['payload-too-large', 'The address and the headers may have 16 KB together.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['payload-too-large', 'The chunks of the body have too many extensions.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['malformed-request', 'The request did not arrive as a whole in time.'],
}

/**
 * Requests that never reach a route: bytes that are not HTTP, and CONNECT. They are answered with a problem
 * too.
 */
export function brokenRequests({ limits, errorsUrl, publicUrl, newRequestId }: BrokenRequestOptions) {
  const answer = (
    socket: Socket,
    slug: ProblemSlug,
    detail: string,
    further: Record<string, string> = {},
  ) => {
    const { status, title } = problems[slug]
    const instance = newRequestId()
    const body = JSON.stringify({ type: `${errorsUrl()}/${slug}`, title, status, detail, instance })
    const allowance = limits.peek('open', socket.remoteAddress ?? '')
    const headers = {
      'content-type': 'application/problem+json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      connection: 'close',
      ...securityHeaders(publicUrl(), false),
      ...(allowance && allowanceHeaders(allowance)),
      ...further,
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.end(`HTTP/1.1 ${status} ${title}\r\n${lines.join('')}\r\n${body}`)
  }
  return {
    unreadable(error: Error & { code?: string }, socket: Socket): void {
      if (error.code === 'ECONNRESET' || !socket.writable) {
        socket.destroy(error)
        return
      }
      const [slug, detail] = refusals[error.code ?? ''] ?? unreadable
      answer(socket, slug, detail)
    },
    tunnel(socket: Socket): void {
      answer(socket, 'method-not-allowed', 'This is no proxy: CONNECT leads nowhere.', { allow: 'GET, POST' })
    },
  }
}
