import { type FieldError, Problem } from '@assay/contract'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { StoreUnreachable } from '../platform/store-failure.ts'
import { nearestName } from '../platform/text/nearest-name.ts'
import { requestFields } from './request-log.ts'

type ProblemWriter = (error: unknown, request: FastifyRequest, reply: FastifyReply) => void

/** Turns anything thrown into `application/problem+json`. Bugs are logged once, here, with their stack. */
export function problemWriter(errorsUrl: () => string): ProblemWriter {
  return (error, request, reply) => {
    const problem = toProblem(error, knownParameters(request))
    if (problem.slug === 'internal') {
      request.log.error({ ...requestFields(request), err: error }, 'Unexpected error')
    } else if (problem.options.internal !== undefined) {
      request.log.warn({ ...requestFields(request), err: problem.options.cause }, problem.options.internal)
    }
    for (const [name, value] of Object.entries(problem.options.headers ?? {})) reply.header(name, value)
    reply
      .code(problem.status)
      .header('content-type', 'application/problem+json; charset=utf-8')
      .serializer(JSON.stringify)
      .send(problem.toBody(errorsUrl(), request.id))
  }
}

/** Names of the query that the route takes. */
function knownParameters({ routeOptions }: FastifyRequest): readonly string[] {
  return Object.keys(routeOptions.config.declared?.query?.properties ?? {})
}

export function toProblem(error: unknown, parameters: readonly string[] = []): Problem {
  if (error instanceof Problem) return error
  if (error instanceof StoreUnreachable) {
    return new Problem('unavailable', {
      detail: 'A store cannot be reached right now. Send the request again.',
      internal: error.message,
      cause: error.cause,
      headers: { 'retry-after': '5' },
    })
  }
  if (!isFastifyError(error)) return bug(error)
  if (error.validation) return invalidParameter(error, parameters)
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload-too-large', {
        detail: 'The body is over 4 MB. Send fewer events in one request.',
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported-media-type', { detail: 'Send the body as application/json.' })
    // Postgres' codes for a text that it cannot store, such as one with a NUL character.
    case '22021':
    case '22P05':
      return new Problem('invalid-parameter', {
        detail: 'A text in this request holds a character that cannot be stored.',
      })
    // And for an unsupported time, such as one in the year 0.
    case '22007':
    case '22008':
    case '22009':
      return new Problem('invalid-parameter', {
        detail: 'A time in this request is outside of what can be stored: use the years 1 to 9999.',
      })
    // ClickHouse's codes: statement limit exceeded, and out of memory.
    case '241':
    case '173':
      return new Problem('unavailable', {
        detail:
          'This read needs more memory than the events store has. Ask for a shorter period, or filter it.',
        internal: 'A read asked for more memory than the events store has',
        cause: error,
      })
    // Of the portable engine. It is started again, so the next call finds it up.
    case 'ENGINE_CRASHED':
      return new Problem('unavailable', {
        detail: 'The events store has just been restarted. Send the request again.',
        internal: 'The events engine crashed under a request',
        cause: error,
        headers: { 'retry-after': '5' },
      })
    default:
      break
  }
  if (/^(Z_|ERR_+BROTLI|ERR_BUFFER)/.test(error.code)) {
    return new Problem('malformed-request', {
      detail: 'The body could not be unpacked: it is damaged or not what it says.',
    })
  }
  // Fastify's own client errors (bad content length, broken URL encoding, aborted body) are all about
  // reading.
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    return new Problem('malformed-request', { detail: error.message })
  }
  return bug(error)
}

function bug(cause: unknown): Problem {
  return new Problem('internal', {
    detail: 'An unexpected error occurred. Quote the instance when you report it.',
    cause,
  })
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error
}

function invalidParameter(error: FastifyError, parameters: readonly string[]): Problem {
  const errors = (error.validation ?? []).map((issue): FieldError => {
    const named = issue.params.missingProperty ?? issue.params.additionalProperty
    const place = issue.instancePath.slice(1).replaceAll('/', '.')
    const field = [place, typeof named === 'string' ? named : ''].filter((part) => part !== '').join('.')
    const isUnknown = error.validationContext === 'querystring' && issue.keyword === 'additionalProperties'
    return {
      field,
      message: isUnknown ? unknownParameter(field, parameters) : (issue.message ?? 'is not valid'),
    }
  })
  const where =
    error.validationContext === 'querystring' ? 'query string' : (error.validationContext ?? 'request')
  const listed = errors.map(({ field, message }) => `${field || where} ${message}`).join('; ')
  return new Problem('invalid-parameter', { detail: `Correct the ${where}: ${listed}.`, errors })
}

/** Which parameters there are, the one that may be meant first. */
function unknownParameter(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known)
  const meant = nearest === undefined ? '' : `; ${nearest} may be meant`
  return `is not a parameter of this call${meant}. It takes: ${known.join(', ') || 'none'}`
}
