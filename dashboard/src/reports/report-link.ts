import type { Report, ReportKind } from '@assay/contract'
import { changesOf } from '../pages/explore/question.ts'
import type { Changes, Way } from '../shell/place.ts'

/** The page that shows a report of a kind. */
const pageOf: Readonly<Record<ReportKind, string>> = {
  query: 'explore',
  overview: 'overview',
  funnel: 'funnels/own',
  retention: 'retention',
  flow: 'flow',
  journeys: 'flow',
  errors: 'errors',
}

/** Members of a question that its page has under another name. */
const renamed: Readonly<Partial<Record<ReportKind, Readonly<Record<string, string>>>>> = {
  retention: { firstEvent: 'first', returnEvent: 'return' },
  funnel: { breakdown: 'by', by: 'counted' },
}

type Asked = Pick<Report, 'id' | 'kind' | 'question' | 'view'>

/** The address at which a report is asked again; without an id it is a question that is not saved. */
export function reportHref({ id, kind, question, view }: Asked, way: Way): string {
  const changes = kind === 'query' ? changesOf(question, view) : changesFrom(question, renamed[kind] ?? {})
  return way.to(pageOf[kind], { ...noPeriod, ...changes, report: id })
}

const noPeriod: Changes = { window: null, from: null, to: null, timezone: null, compare: null }

function changesFrom(
  question: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Changes {
  return Object.fromEntries(
    Object.entries(question).flatMap(([name, value]) => {
      const written = typeof value === 'object' ? JSON.stringify(value) : String(value)
      return value === undefined || value === null ? [] : [[names[name] ?? name, written]]
    }),
  )
}
