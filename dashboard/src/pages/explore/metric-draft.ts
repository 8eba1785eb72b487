import {
  type Filter,
  type MathName,
  type Metric,
  type MetricName,
  mathNames,
  mathTerms,
  metricNames,
  metricsMax,
} from '@assay/contract'
import { soundFilters } from '../../filters/filters.ts'
import { text } from '../../text.ts'

/** One line of the builder. */
export type MetricDraft = {
  /** By which formulas name it: a letter, or the name that a question from elsewhere has. */
  letter: string
  kind: 'ready' | 'event' | 'goal' | 'formula'
  /** A ready metric, the name of an event, the id of a goal; empty until one is chosen, or for any event. */
  of: string
  math: MathName
  property: string
  where: readonly Filter[]
  formula: string
}

const letters = [...'ABCDEFGHIJKLMNOPQRST']

export function newMetric(metrics: readonly MetricDraft[], given: Partial<MetricDraft> = {}): MetricDraft {
  const taken = metrics.map(({ letter }) => letter)
  const letter = letters.find((one) => !taken.includes(one)) ?? `M${metrics.length}`
  return { letter, kind: 'ready', of: '', math: 'count', property: '', where: [], formula: '', ...given }
}

export const isReady = (name: string): name is MetricName => metricNames.some((one) => one === name)

/** Any JSON as lines of the builder: what is none of them is left for the API to refuse by its place. */
export function readMetrics(values: readonly unknown[]): readonly MetricDraft[] {
  const given = values.slice(0, metricsMax)
  const reserved = given.flatMap((value) => asOf(value) ?? [])
  const free = letters.filter((letter) => !reserved.includes(letter))
  const named = given.map((value, index) =>
    newMetric([], { ...readMetric(value), letter: asOf(value) ?? free[index] ?? `M${index}` }),
  )
  // Formulas name ready metrics by their names; here every line has a letter.
  const letterOf = new Map(named.flatMap(({ kind, of, letter }) => (kind === 'ready' ? [[of, letter]] : [])))
  return named.map((draft) => ({ ...draft, formula: renamed(draft.formula, letterOf) }))
}

function asOf(value: unknown): string | null {
  return isObject(value) && typeof value.as === 'string' && value.as !== '' ? value.as : null
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function readMetric(value: unknown): Partial<MetricDraft> {
  if (!isObject(value)) return { kind: 'ready', of: String(value) }
  if (typeof value.formula === 'string') return { kind: 'formula', formula: value.formula }
  const goal = textOf(value.goal)
  return {
    kind: goal === '' ? 'event' : 'goal',
    of: goal === '' ? textOf(value.event) : goal,
    math: mathNames.find((name) => name === value.math) ?? 'count',
    property: textOf(value.property),
    where: soundFilters(value.where ?? []) ?? [],
  }
}

const names = /[A-Za-z][A-Za-z0-9_]*/g
const renamed = (formula: string, by: ReadonlyMap<string, string>) =>
  formula.replace(names, (name) => by.get(name) ?? name)

/** As the API takes it; null while something is missing. */
export function metricOf(draft: MetricDraft, all: readonly MetricDraft[]): Metric | null {
  const { letter, kind, of, math, property, where, formula } = draft
  if (kind === 'formula') {
    const nameOf = new Map(all.flatMap((one) => (one.kind === 'ready' ? [[one.letter, one.of]] : [])))
    return formula.trim() === '' ? null : { as: letter, formula: renamed(formula.trim(), nameOf) }
  }
  if (kind === 'ready') {
    // boundary: a name that is none is refused by the API, which lists those that are.
    return of === '' ? null : (of as MetricName)
  }
  if (mathTerms[math].needsProperty && property === '') return null
  return {
    as: letter,
    ...(kind === 'goal' && { goal: of }),
    ...(kind === 'event' && of !== '' && { event: of }),
    math,
    ...(mathTerms[math].needsProperty && { property }),
    ...(where.length > 0 && { where }),
  }
}

/** The name under which the answer has it. */
export const answerName = ({ kind, of, letter }: MetricDraft): string => (kind === 'ready' ? of : letter)

/** What it is called on the screen. A name that a person gave stays. */
export function metricLabel(draft: MetricDraft, goalName: (id: string) => string): string {
  const { kind, of, letter, math, property, formula } = draft
  const words = text.explore
  if (kind === 'ready') return isReady(of) ? words.metrics[of] : of
  if (letter === math) return words.maths[math]
  if (!/^[A-Z]\d*$/.test(letter)) return letter
  if (kind === 'formula') return formula
  const what = kind === 'goal' ? goalName(of) : of === '' ? words.anyEvent : of
  const how = words.maths[math].toLowerCase()
  return mathTerms[math].needsProperty ? `${what} · ${how} ${property}` : `${what} · ${how}`
}
