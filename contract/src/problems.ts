import { cut } from './text.ts'

/**
 * Every refusal of the product, once. `type` is `{errors_url}/<slug>`, and `docs/problems/<slug>.md` explains
 * meaning, cause and fix; a test proves that list and pages agree.
 */
export const problems = {
  'malformed-request': { status: 400, title: 'The request could not be read' },
  unauthenticated: { status: 401, title: 'A valid credential is required' },
  'insufficient-scope': { status: 403, title: 'This credential is not allowed to do that' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'This URL does not accept that method' },
  conflict: { status: 409, title: 'The request conflicts with existing data' },
  'identity-conflict': { status: 409, title: 'These identifiers belong to different people' },
  'identity-limit': { status: 409, title: 'This person has reached a limit' },
  'payload-too-large': { status: 413, title: 'The request is too large' },
  'unsupported-media-type': { status: 415, title: 'Unsupported media type' },
  misdirected: { status: 421, title: 'This node does not serve that' },
  'contract-violation': { status: 422, title: 'The event breaks its contract' },
  'reserved-name': { status: 422, title: 'This name is reserved' },
  'invalid-parameter': { status: 422, title: 'Invalid parameter' },
  'rate-limited': { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong on our side' },
  unavailable: { status: 503, title: 'Not available right now' },
} as const

export type ProblemSlug = keyof typeof problems
export const problemSlugs: readonly ProblemSlug[] = Object.keys(problems).filter(isProblemSlug)

export function isProblemSlug(text: string): text is ProblemSlug {
  return Object.hasOwn(problems, text)
}

/** Problems of any route, so that routes list only their own. */
export const commonProblems = [
  'malformed-request',
  'payload-too-large',
  'unsupported-media-type',
  'invalid-parameter',
  'rate-limited',
  'internal',
  'unavailable',
] as const satisfies readonly ProblemSlug[]

/** Problems of a route that needs a credential. */
export const accessProblems = [
  'unauthenticated',
  'insufficient-scope',
] as const satisfies readonly ProblemSlug[]
/** Problems of a route about something that may not be there, or not for this caller. */
export const lookupProblems = [...accessProblems, 'not-found'] as const satisfies readonly ProblemSlug[]

/** What is wrong with one field, for the caller to correct. */
export type FieldError = {
  field: string
  message: string
  code?: string
  expected?: unknown
  actual?: unknown
}

export type ProblemBody = {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  errors?: readonly FieldError[]
  [member: string]: unknown
}

export type ProblemOptions = {
  /** For the caller: what went wrong in this request and what to do. */
  detail: string
  /** For the log only. */
  internal?: string
  cause?: unknown
  errors?: readonly FieldError[]
  /** Further members of the body. */
  members?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
}

/** A refusal: thrown by routes and rules, answered as `application/problem+json`. */
export class Problem extends Error {
  readonly slug: ProblemSlug
  readonly status: number
  readonly options: ProblemOptions

  constructor(slug: ProblemSlug, options: ProblemOptions) {
    super(options.detail, { cause: options.cause })
    this.name = 'Problem'
    this.slug = slug
    this.status = problems[slug].status
    this.options = options
  }

  toBody(errorsUrl: string, instance: string): ProblemBody {
    const { title, status } = problems[this.slug]
    return {
      type: `${errorsUrl}/${this.slug}`,
      title,
      status,
      detail: cut(this.options.detail, detailCharactersMax),
      instance,
      ...(this.options.errors && { errors: shownErrors(this.options.errors) }),
      ...this.options.members,
    }
  }
}

/** One field or parameter is wrong: the message continues its name. */
export function invalidParameter(field: string, message: string, code?: string): Problem {
  const errors = [{ field, message, ...(code !== undefined && { code }) }]
  return new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors })
}

/** A problem may quote what was sent, but never return all of it. */
const detailCharactersMax = 2_000
const fieldCharactersMax = 300
const messageCharactersMax = 600

/** Far more than anyone corrects at once. */
const errorsMax = 1_000

function shownErrors(errors: readonly FieldError[]): readonly FieldError[] {
  if (errors.length <= errorsMax) return errors.map(shown)
  const rest = { field: '', message: `and ${errors.length - errorsMax} more` }
  return [...errors.slice(0, errorsMax).map(shown), rest]
}

function shown(error: FieldError): FieldError {
  return {
    ...error,
    field: cut(error.field, fieldCharactersMax),
    message: cut(error.message, messageCharactersMax),
  }
}
