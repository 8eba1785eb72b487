import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, LogController } from 'fastify'
import { idPrefixes, isId } from '../platform/clock.ts'
import type { Logger } from '../platform/logging/logger.ts'

/** Without a request log Fastify only logs warnings: its address is printed at start. */
export function httpLogger(logger: Logger, logRequests: boolean): FastifyBaseLogger {
  const level = logRequests || !logger.isLevelEnabled('info') ? logger.level : 'warn'
  // Fastify's own would log the visitor's address and the whole query.
  const serializers = { req: (request: FastifyRequest) => requestFields(request), res: () => undefined }
  return logger.child({ component: 'http' }, { level, serializers })
}

/** What Fastify logs of a request: one entry per answer, and errors that reach no error handler. */
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

  /** The caller already has a success status, and only notices that the answer ends early. */
  override streamError(error: Error & { code?: string }, request: FastifyRequest): void {
    if (error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    request.log.error({ ...requestFields(request), err: error }, 'The answer ended early')
  }
}

/**
 * Nothing that a caller writes freely: no header, query or body. Of the path only the route and our ids; a
 * credential may be anywhere else, also in unknown paths.
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
