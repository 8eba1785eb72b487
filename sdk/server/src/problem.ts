import type { FieldError, ProblemBody, ProblemSlug } from '../../../contract/src/problems.ts'

export type { FieldError, ProblemBody, ProblemSlug }

/** The server refused, or could not be reached: one class for both, with the fields of RFC 7807. */
export class ApiProblem extends Error {
  readonly type: string
  /** The last part of `type`; `unreachable` when there was no answer at all. */
  readonly slug: ProblemSlug | 'unreachable' | 'unknown'
  /** 0 when there was no answer. */
  readonly status: number
  readonly detail: string
  /** Quote it in a bug report. */
  readonly instance: string
  readonly errors: readonly FieldError[]
  readonly body: ProblemBody
  /** How long the server asks to wait, in ms. */
  readonly retryAfterMs: number | null

  constructor(body: ProblemBody, slug: ApiProblem['slug'], retryAfterMs: number | null, cause?: unknown) {
    super(`${body.title}: ${body.detail}`, { cause })
    this.name = 'ApiProblem'
    this.type = body.type
    this.slug = slug
    this.status = body.status
    this.detail = body.detail
    this.instance = body.instance
    this.errors = body.errors ?? []
    this.body = body
    this.retryAfterMs = retryAfterMs
  }
}

/** A proxy may answer with anything, so other bodies are converted. */
export function readProblem(status: number, text: string, retryAfter: string | null): ApiProblem {
  const body = parseProblem(text) ?? {
    type: 'about:blank',
    title: `HTTP ${status}`,
    status,
    detail: text.slice(0, 200),
    instance: '',
  }
  return new ApiProblem(body, slugOf(body.type), readRetryAfter(retryAfter))
}

export function unreachable(cause: unknown): ApiProblem {
  const detail = cause instanceof Error ? cause.message : String(cause)
  const body = { type: 'about:blank', title: 'No answer', status: 0, detail, instance: '' }
  return new ApiProblem(body, 'unreachable', null, cause)
}

function parseProblem(text: string): ProblemBody | null {
  try {
    const body: unknown = JSON.parse(text)
    const isProblem =
      typeof body === 'object' && body !== null && 'type' in body && 'title' in body && 'status' in body
    // boundary: checked just above to be a problem body of our server.
    return isProblem ? (body as ProblemBody) : null
  } catch {
    return null
  }
}

function slugOf(type: string): ApiProblem['slug'] {
  const slug = type.includes('/problems/') ? type.slice(type.lastIndexOf('/') + 1) : ''
  // boundary: the server has one list of problems, and a newer server may know more than this SDK.
  return slug === '' ? 'unknown' : (slug as ProblemSlug)
}

/** Longer waits are left to the caller. */
const retryAfterMsMax = 300_000

function readRetryAfter(header: string | null): number | null {
  const seconds = header === null ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds * 1000, retryAfterMsMax) : null
}
