import {
  type Filter,
  invalidParameter,
  type Narrowing,
  Problem,
  type ReadQuestion,
  type ReportKind,
  type ReportQuestions,
  type ReportView,
  readFilters,
  readQuestion,
  reportQuestions,
} from '@assay/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { readWithin, requireSoundSteps } from '../analytics/funnels/query.ts'
import { chooseInterval, type PeriodQuery, readPeriod } from '../analytics/period.ts'
import { requireAnswerable } from '../analytics/questions/answers/answer-shape.ts'
import { plainFilters } from '../analytics/shorthands.ts'
import type { Clock } from '../platform/clock.ts'

export type SavedQuestion = Readonly<Record<string, unknown>>
/** A question of one kind, as its route takes it but for the site. */
export type KnownQuestion = {
  [Kind in ReportKind]: { kind: Kind; question: ReportQuestions[Kind] }
}[ReportKind]
/** A period, and filters: as they are stored, or as text of an address. */
export type Layer = Omit<Narrowing, 'filters'> & { filters?: string | readonly Filter[] }

type Checks = { [Kind in ReportKind]: ValidateFunction<ReportQuestions[Kind]> }
let compiled: Checks | undefined

/** Compiled for the first question that is saved or answered, and not at the start of every process. */
function questionChecks(): Checks {
  if (compiled !== undefined) return compiled
  const shapes = new Ajv({ strict: false })
  const { query, overview, funnel, retention, flow, journeys, errors } = reportQuestions
  compiled = {
    query: shapes.compile<ReportQuestions['query']>(query),
    overview: shapes.compile<ReportQuestions['overview']>(overview),
    funnel: shapes.compile<ReportQuestions['funnel']>(funnel),
    retention: shapes.compile<ReportQuestions['retention']>(retention),
    flow: shapes.compile<ReportQuestions['flow']>(flow),
    journeys: shapes.compile<ReportQuestions['journeys']>(journeys),
    errors: shapes.compile<ReportQuestions['errors']>(errors),
  }
  return compiled
}

/** Refuses what the route of its kind would refuse now. */
export function readQuestionOf(kind: ReportKind, question: SavedQuestion, now: Clock): KnownQuestion {
  const known = requireSoundQuestion(kind, question)
  // The zone of the site is known to be one, and does not change what is refused.
  const asked: PeriodQuery = known.question
  const period = readPeriod(asked, 'UTC', now())
  if (known.kind === 'overview') chooseInterval(period, known.question.interval)
  if (known.kind === 'query') requireAnswerable(readSaved(known.question), period)
  return known
}

/** Refuses what the route of its kind would refuse at any time. */
export function requireSoundQuestion(kind: ReportKind, question: SavedQuestion): KnownQuestion {
  const known = shapedAs(kind, question)
  if (known.kind === 'query') readSaved(known.question)
  else if (known.question.filters !== undefined) readFilters(known.question.filters)
  if (known.kind === 'funnel') {
    requireSoundSteps(known.question.steps)
    readWithin(known.question.within)
  }
  return known
}

/** Which site it is asked of does not change what is refused. */
function readSaved(question: ReportQuestions['query']): ReadQuestion {
  try {
    return readQuestion({ ...question, siteId: 'any' })
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    const errors = (cause.options.errors ?? []).map(({ field, message }) => ({
      field: `question.${field}`,
      message,
    }))
    const [first] = errors
    throw new Problem('invalid-parameter', { detail: `${first?.field} ${first?.message}.`, errors, cause })
  }
}

function shapedAs(kind: ReportKind, question: SavedQuestion): KnownQuestion {
  const asked: unknown = question
  const checks = questionChecks()
  if (kind === 'query' && checks.query(asked)) return { kind, question: asked }
  if (kind === 'overview' && checks.overview(asked)) return { kind, question: asked }
  if (kind === 'funnel' && checks.funnel(asked)) return { kind, question: asked }
  if (kind === 'retention' && checks.retention(asked)) return { kind, question: asked }
  if (kind === 'flow' && checks.flow(asked)) return { kind, question: asked }
  if (kind === 'journeys' && checks.journeys(asked)) return { kind, question: asked }
  if (kind === 'errors' && checks.errors(asked)) return { kind, question: asked }
  const [issue] = checks[kind].errors ?? []
  const unknown = issue?.params.additionalProperty ?? issue?.params.missingProperty
  const at = [issue?.instancePath.slice(1).replaceAll('/', '.'), unknown].filter((part) => part)
  throw invalidParameter(['question', ...at].join('.'), issue?.message ?? 'is not valid')
}

/** The other kinds are each shown in one way. */
export function requireSoundView(
  kind: ReportKind,
  view: ReportView | null | undefined,
  field = 'view',
): void {
  if (kind !== 'query' && view !== null && view !== undefined) {
    throw invalidParameter(field, 'is for the kind query only')
  }
}

const periodMembers = ['from', 'to', 'window'] as const

/** Refuses a period or filters that no read takes. */
export function requireSoundNarrowing(narrowing: Layer, now: Clock): void {
  readPeriod(narrowing, 'UTC', now())
  readFilters(filtersOf(narrowing))
}

/**
 * A question with another period and more filters, which have to hold all together. An answer is never wider than what
 * was asked for.
 */
export function narrowed(question: SavedQuestion, layers: readonly Layer[]): SavedQuestion {
  let asked: SavedQuestion = question
  for (const layer of layers) {
    const { from, to, window, timezone } = layer
    const given = Object.entries({ from, to, window, timezone }).filter(([, value]) => value !== undefined)
    const hasPeriod = given.some(([name]) => periodMembers.some((one) => one === name))
    asked = { ...(hasPeriod ? withoutPeriod(asked) : asked), ...Object.fromEntries(given) }
    const more = filtersOf(layer)
    if (more.length > 0) asked = { ...asked, filters: [...listed(asked.filters ?? []), ...more] }
  }
  return asked
}

function filtersOf({ filters = [], ...plain }: Layer): unknown[] {
  return [...plainFilters(plain), ...listed(filters)]
}

/** Refuses what is no list of filters. */
function listed(filters: unknown): unknown[] {
  readFilters(filters)
  const list: unknown = typeof filters === 'string' ? JSON.parse(filters) : filters
  return Array.isArray(list) ? list : []
}

function withoutPeriod({ from: _from, to: _to, window: _window, ...rest }: SavedQuestion): SavedQuestion {
  return rest
}
