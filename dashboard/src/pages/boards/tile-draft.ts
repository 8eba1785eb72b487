import { type Filter, funnelStepsMax, type ReportKind, type Tile } from '@assay/contract'
import { type MetricDraft, newMetric } from '../explore/metric-draft.ts'
import { chartLimit, completeMetrics } from '../explore/question.ts'
import { freeSpot } from './layout.ts'

export const tileSources = ['report', 'question', 'text'] as const
export const tileViews = ['chart', 'table', 'number'] as const

/** A tile while it is put together: everything that its form holds. */
export type TileDraft = {
  source: (typeof tileSources)[number]
  title: string
  reportId: string
  kind: ReportKind
  view: (typeof tileViews)[number]
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
  view: 'chart',
  metrics: [newMetric([], { of: 'visitors' })],
  by: [],
  steps: ['', ''],
  firstEvent: '',
  returnEvent: '',
  filters: [],
  text: '',
})

export { funnelStepsMax }

/** Whether there is enough to ask. */
export function isComplete({ source, reportId, kind, metrics, view, by, steps, text }: TileDraft): boolean {
  if (source === 'report') return reportId !== ''
  if (source === 'text') return text.trim() !== ''
  if (kind === 'funnel') return steps.filter((step) => step.trim() !== '').length >= 2
  if (kind !== 'query') return true
  return completeMetrics(metrics).length > 0 && (view !== 'table' || by.length > 0)
}

/** Where a new tile goes, and how large it is, by what it shows. */
export function tileFrom(draft: TileDraft, others: readonly Tile[]): Tile {
  const { source, title, reportId, kind, text } = draft
  const isNumber = source === 'question' && kind === 'query' && draft.view === 'number'
  const size = isNumber || source === 'text' ? { width: 4, height: 3 } : { width: 6, height: 5 }
  const place = { id: crypto.randomUUID(), ...freeSpot(others, size) }
  const named = { ...place, ...(title.trim() !== '' && { title: title.trim() }) }
  if (source === 'report') return { ...named, type: 'report', reportId }
  if (source === 'text') return { ...named, type: 'text', text }
  return { ...named, type: 'question', kind, question: questionFrom(draft) }
}

function questionFrom(draft: TileDraft): Readonly<Record<string, unknown>> {
  const filters = draft.filters.length > 0 && { filters: draft.filters }
  if (draft.kind === 'query') return { ...queryFrom(draft), ...filters }
  if (draft.kind === 'funnel') {
    const steps = draft.steps.map((step) => step.trim()).filter((step) => step !== '')
    return {
      steps: steps.map((step) => (step.startsWith('/') ? { path: step } : { event: step })),
      ...filters,
    }
  }
  if (draft.kind !== 'retention') return { ...filters }
  const { firstEvent, returnEvent } = draft
  return {
    ...(firstEvent !== '' && { firstEvent }),
    ...(returnEvent !== '' && { returnEvent }),
    ...filters,
  }
}

function queryFrom({ metrics, by, view }: TileDraft): Readonly<Record<string, unknown>> {
  const asked = completeMetrics(metrics)
  if (view === 'number') return { metrics: asked, compare: 'previous' }
  if (view === 'table') return { metrics: asked, dimensions: by, limit: 20 }
  if (by.length === 0) return { metrics: asked, dimensions: ['time:day'], compare: 'previous' }
  return { metrics: asked, dimensions: ['time:day', ...by], limit: chartLimit(asked.length), other: true }
}
