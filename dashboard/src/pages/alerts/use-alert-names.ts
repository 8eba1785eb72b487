import { useRead } from '../../api/reads.ts'
import { useFilterNames } from '../../filters/names.ts'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'

const reportsMax = 200

/** Goals and reports that alerts name by id. */
export function useAlertNames(): { goal: (id: string) => string; report: (id: string) => string } {
  const { siteId } = usePlace()
  const { goal } = useFilterNames()
  const reports = useRead('listReports', { query: { siteId, kind: 'query', limit: reportsMax } }).data?.data
  return {
    goal,
    report: (id) => reports?.find((one) => one.id === id)?.name ?? text.savedReports.unnamed,
  }
}
