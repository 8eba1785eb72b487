import {
  invalidParameter,
  type Narrowing,
  type ReportKind,
  type ReportQuestions,
  readFilters,
  reportQuestions,
} from '@assay/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { readWithin, requireSoundSteps } from '../analytics/funnels/query.ts'
import { chooseInterval, type PeriodQuery, readPeriod } from '../analytics/period.ts'
import type { Clock } from '../platform/clock.ts'

export type SavedQuestion = Readonly<Record<string, unknown>>
/** A question of one kind, as its route takes it but for the site. */
export type KnownQuestion = {
  [Kind in ReportKind]: { kind: Kind; question: ReportQuestions[Kind] }
}[ReportKind]

type Checks = { [Kind in ReportKind]: ValidateFunction<ReportQuestions[Kind]> }
let compiled: Checks | undefined

/** Compiled for the first question that is saved or answered, and not at the start of every process. */
function questionChecks(): Checks {
  if (compiled !== undefined) return compiled
  const shapes = new Ajv({ strict: false })
  const { overview, funnel, retention, flow, journeys, errors } = reportQuestions
  compiled = {
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
  return known
}

/** Refuses what the route of its kind would refuse at any time. */
export function requireSoundQuestion(kind: ReportKind, question: SavedQuestion): KnownQuestion {
  const known = shapedAs(kind, question)
  if (known.kind !== 'errors' && known.question.filters !== undefined) readFilters(known.question.filters)
  if (known.kind === 'funnel') {
    requireSoundSteps(known.question.steps)
    readWithin(known.question.within)
  }
  return known
}

function shapedAs(kind: ReportKind, question: SavedQuestion): KnownQuestion {
  const asked: unknown = question
  const checks = questionChecks()
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

const periodMembers = ['from', 'to', 'window'] as const

/** Refuses a period or filters that no read takes. */
export function requireSoundNarrowing(narrowing: Narrowing, now: Clock): void {
  readPeriod(narrowing, 'UTC', now())
  if (narrowing.filters !== undefined) readFilters(narrowing.filters)
}

/**
 * A question with another period and more filters. A parameter takes the place of an earlier one; `filters` have to
 * hold all together. What its kind cannot be narrowed by is refused: an answer must never be wider than what was asked
 * for.
 */
export function narrowed(
  kind: ReportKind,
  question: SavedQuestion,
  layers: readonly Narrowing[],
): SavedQuestion {
  const members: Readonly<Record<string, unknown>> = reportQuestions[kind].properties
  let asked: SavedQuestion = question
  for (const layer of layers) {
    const given = Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined))
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(members, name))
    if (unknown !== undefined) throw invalidParameter(unknown, `cannot be applied to ${kind}`)
    const hasPeriod = periodMembers.some((name) => Object.hasOwn(given, name))
    const { filters } = layer
    const both = filters === undefined ? {} : { filters: joinedFilters(kind, asked.filters, filters) }
    asked = { ...(hasPeriod ? withoutPeriod(asked) : asked), ...given, ...both }
  }
  return asked
}

/** As a funnel takes them in its body, and the others as text. */
function joinedFilters(kind: ReportKind, own: unknown, more: string): unknown {
  const joined = [own ?? [], more].flatMap((filters) => {
    readFilters(filters)
    const list: unknown = typeof filters === 'string' ? JSON.parse(filters) : filters
    return Array.isArray(list) ? list : []
  })
  return kind === 'funnel' ? joined : JSON.stringify(joined)
}

function withoutPeriod({ from: _from, to: _to, window: _window, ...rest }: SavedQuestion): SavedQuestion {
  return rest
}
