import {
  type Filter,
  funnelStepsMax,
  type ReportKind,
  type ReportView,
  reportViews,
  type Tile,
} from '@assay/contract'
import { soundFilters } from '../../filters/filters.ts'
import { textList } from '../../text/list.ts'
import { type MetricDraft, newMetric, readMetrics } from '../explore/metric-draft.ts'
import { chartLimit, completeMetrics, isChart, viewFor } from '../explore/question.ts'
import { freeSpot } from './layout.ts'

export const tileSources = ['report', 'question', 'text'] as const
export const tileViews = reportViews

type Question = Readonly<Record<string, unknown>>

/** A tile while it is put together: everything that its form holds. */
export type TileDraft = {
  source: (typeof tileSources)[number]
  title: string
  reportId: string
  kind: ReportKind
  view: ReportView
  metrics: readonly MetricDraft[]
  by: readonly string[]
  steps: readonly string[]
  firstEvent: string
  returnEvent: string
  filters: readonly Filter[]
  text: string
}

export const newTileDraft = (source: TileDraft['source']): TileDraft => ({
  source,
  title: '',
  reportId: '',
  kind: 'query',
  view: 'lines',
  metrics: [newMetric([], { of: 'visitors' })],
  by: [],
  steps: ['', ''],
  firstEvent: '',
  returnEvent: '',
  filters: [],
  text: '',
})

export { funnelStepsMax }

/** A tile of a board, to be edited. */
export function draftOfTile(tile: Tile): TileDraft {
  const draft = { ...newTileDraft(tile.type), title: tile.title ?? '' }
  if (tile.type === 'report') return { ...draft, reportId: tile.reportId }
  if (tile.type === 'text') return { ...draft, text: tile.text }
  const { kind, question } = tile
  const steps = listOf(question.steps).map(stepWord)
  const metrics = readMetrics(listOf(question.metrics))
  return {
    ...draft,
    kind,
    view: kind === 'query' ? viewFor(question, tile.view ?? null) : draft.view,
    metrics: metrics.length === 0 ? draft.metrics : metrics,
    by: groupsOf(question),
    steps: steps.length === 0 ? draft.steps : steps,
    firstEvent: textOf(question.firstEvent),
    returnEvent: textOf(question.returnEvent),
    filters: soundFilters(question.filters ?? []) ?? [],
  }
}

/** Whether there is enough to ask. */
export function isComplete({ source, reportId, kind, metrics, steps, text }: TileDraft): boolean {
  if (source === 'report') return reportId !== ''
  if (source === 'text') return text.trim() !== ''
  if (kind === 'funnel') return steps.filter((step) => step.trim() !== '').length >= 2
  return kind !== 'query' || completeMetrics(metrics).length > 0
}

/** Where a new tile goes, and how large it is, by what it shows. */
export function tileFrom(draft: TileDraft, others: readonly Tile[]): Tile {
  const isNumber = draft.source === 'question' && draft.kind === 'query' && draft.view === 'number'
  const size = isNumber || draft.source === 'text' ? { width: 4, height: 3 } : { width: 6, height: 5 }
  return tileAt({ id: crypto.randomUUID(), ...freeSpot(others, size) }, draft, null)
}

/** The same tile, in the same place, with what its form holds now. What has no field in the form stays as it is. */
export function tileAfter(draft: TileDraft, { id, x, y, width, height, ...before }: Tile): Tile {
  const isSameKind = before.type === 'question' && before.kind === draft.kind
  return tileAt({ id, x, y, width, height }, draft, isSameKind ? before : null)
}

type Place = Pick<Tile, 'id' | 'x' | 'y' | 'width' | 'height'>
type Before = { question: Question; view?: ReportView } | null

function tileAt(place: Place, draft: TileDraft, before: Before): Tile {
  const { source, title, reportId, kind, text, view } = draft
  const named = { ...place, ...(title.trim() !== '' && { title: title.trim() }) }
  if (source === 'report') return { ...named, type: 'report', reportId }
  if (source === 'text') return { ...named, type: 'text', text }
  const question = questionFrom(draft, before)
  return { ...named, type: 'question', kind, question, ...(kind === 'query' && { view }) }
}

function questionFrom(draft: TileDraft, before: Before): Question {
  const { filters: _, ...rest } = before?.question ?? {}
  const filters = draft.filters.length > 0 && { filters: draft.filters }
  if (draft.kind === 'query') return { ...queryFrom(draft, before), ...filters }
  if (draft.kind === 'funnel') return { ...rest, steps: stepsFrom(draft.steps, rest.steps), ...filters }
  if (draft.kind !== 'retention') return { ...rest, ...filters }
  const { firstEvent: _first, returnEvent: _return, ...others } = rest
  const { firstEvent, returnEvent } = draft
  return {
    ...others,
    ...(firstEvent !== '' && { firstEvent }),
    ...(returnEvent !== '' && { returnEvent }),
    ...filters,
  }
}

/** A step that is named as before keeps its conditions. */
function stepsFrom(steps: readonly string[], before: unknown): readonly unknown[] {
  const known = listOf(before)
  return steps.flatMap((typed, index) => {
    const step = typed.trim()
    if (step === '') return []
    const isSame = (one: unknown) => stepWord(one) === step
    const kept = isSame(known[index]) ? known[index] : known.find(isSame)
    return [kept ?? (step.startsWith('/') ? { path: step } : { event: step })]
  })
}

const periodNames = ['window', 'from', 'to', 'timezone', 'includeBots']

/** With the same view and groups, order and limits hold as before; otherwise only the period does. */
function queryFrom({ metrics, by, view }: TileDraft, before: Before): Question {
  const asked = completeMetrics(metrics)
  if (before === null) return { metrics: asked, ...answerOf(asked.length, by, view, 'time:day') }
  const { question } = before
  const time = textList(question.dimensions).find(isTime) ?? 'time:day'
  const was = viewFor(question, before.view ?? null)
  const isAlike = isChart(was) ? isChart(view) : was === view
  if (isAlike && groupsOf(question).join('\n') === by.join('\n')) {
    const { filters: _, ...rest } = question
    return { ...rest, metrics: asked }
  }
  const period = Object.entries(question).filter(([name]) => periodNames.includes(name))
  return { ...Object.fromEntries(period), metrics: asked, ...answerOf(asked.length, by, view, time) }
}

function answerOf(metrics: number, by: readonly string[], view: ReportView, time: string): Question {
  if (view === 'number') return { compare: 'previous' }
  if (view === 'table') return by.length === 0 ? {} : { dimensions: by, limit: 20 }
  if (by.length === 0) return { dimensions: [time], compare: 'previous' }
  return { dimensions: [time, ...by], limit: chartLimit(metrics), other: true }
}

const isTime = (name: string): boolean => name.startsWith('time:')
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const groupsOf = (question: Question): readonly string[] =>
  textList(question.dimensions).filter((name) => !isTime(name))

function stepWord(step: unknown): string {
  if (typeof step !== 'object' || step === null) return ''
  const path = 'path' in step ? textOf(step.path) : ''
  return path === '' && 'event' in step ? textOf(step.event) : path
}
