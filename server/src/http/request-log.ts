import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { idPrefixes, isId } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'

/** Without a log of requests Fastify has nothing to say below a warning: its address is printed at start. */
export function httpLogger(logger: Logger, logRequests: boolean): FastifyBaseLogger {
  const level = logRequests || !logger.isLevelEnabled('info') ? logger.level : 'warn'
  // Fastify's own would write the address of the visitor and the whole query.
  const serializers = { req: (request: FastifyRequest) => requestFields(request), res: () => undefined }
  return logger.child({ component: 'http' }, { level, serializers })
}

/** What Fastify logs of a request: one entry when it is answered, and what no error handler hears of. */
export class RequestLog extends LogController {
  readonly #logRequests: boolean

  constructor(logRequests: boolean) {
    super({ requestIdLogLabel: 'requestId' })
    this.#logRequests = logRequests
  }

  override incomingRequest(): void {}

  override requestCompleted(
    _error: Error | null | undefined,
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    if (!this.#logRequests) return
    const answer = { status: reply.statusCode, ms: Math.round(reply.elapsedTime) }
    request.log.info({ ...requestFields(request), ...answer }, 'Request answered')
  }

  /** The caller has the status of success already, and hears of it only by an answer that ends early. */
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ ...requestFields(request), err: error }, 'The answer ended early')
  }
}

/**
 * Nothing that a caller writes freely: no header, no query, no body. Of the path the route, and ids of ours in it; a
 * credential may be anywhere else, also where no route is.
 */
export function requestFields(request: FastifyRequest): { method: string; path: string } {
  const params: unknown = request.params
  const path = (request.routeOptions.url ?? 'none').replaceAll(/:(\w+)/g, (placeholder, name: string) => {
    const value = isRecord(params) ? params[name] : undefined
    return typeof value === 'string' && isAnyId(value) ? value : placeholder
  })
  return { method: request.method, path }
}

const isAnyId = (text: string) => idPrefixes.some((prefix) => isId(prefix, text))

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
