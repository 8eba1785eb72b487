import {
  invalidParameter,
  type Narrowing,
  type ReportKind,
  type ReportQuestions,
  reportQuestions,
} from '@assay/contract'
import { Ajv } from 'ajv'
import { readWithin, requireSoundSteps } from '../analytics/funnels/query.ts'
import { chooseInterval, type PeriodQuery, readPeriod } from '../analytics/period.ts'
import type { Clock } from '../platform/clock.ts'

export type SavedQuestion = Readonly<Record<string, unknown>>
/** A question of one kind, as its route takes it but for the site. */
export type KnownQuestion = {
  [Kind in ReportKind]: { kind: Kind; question: ReportQuestions[Kind] }
}[ReportKind]

const shapes = new Ajv({ strict: false })
const checks = {
  overview: shapes.compile<ReportQuestions['overview']>(reportQuestions.overview),
  funnel: shapes.compile<ReportQuestions['funnel']>(reportQuestions.funnel),
  retention: shapes.compile<ReportQuestions['retention']>(reportQuestions.retention),
  flow: shapes.compile<ReportQuestions['flow']>(reportQuestions.flow),
  journeys: shapes.compile<ReportQuestions['journeys']>(reportQuestions.journeys),
  errors: shapes.compile<ReportQuestions['errors']>(reportQuestions.errors),
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
  if (known.kind === 'funnel') {
    requireSoundSteps(known.question.steps)
    readWithin(known.question.within)
  }
  return known
}

function shapedAs(kind: ReportKind, question: SavedQuestion): KnownQuestion {
  const asked: unknown = question
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

/**
 * A question with another period and more filters, the later ones in place of the earlier. What its kind cannot be
 * narrowed by is refused: an answer must never be wider than what was asked for.
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
    asked = { ...(hasPeriod ? withoutPeriod(asked) : asked), ...given }
  }
  return asked
}

function withoutPeriod({ from: _from, to: _to, window: _window, ...rest }: SavedQuestion): SavedQuestion {
  return rest
}
