import { isRecord } from '@assay/contract'
import { useList } from '../../api/reads.ts'
import { nameWords } from '../../code-words.ts'
import { countryName, formatTime } from '../../format.ts'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Picker } from '../../kit/picker.tsx'
import { NoPermission } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { workspaceText } from '../../text/workspace.ts'
import { text } from '../../text.ts'
import { auditActions } from './audit-actions.ts'

const filters = ['action', 'object_type', 'object_id'] as const

/** Who did what to which object, when and from where. */
export default function AuditPage() {
  const mayRead = useMay('audit:read')
  return (
    <Page title={text.pages.audit} lead={workspaceText.audit.lead}>
      {mayRead ? (
        <Log />
      ) : (
        <Card>
          <NoPermission />
        </Card>
      )}
    </Page>
  )
}

function Log() {
  const { parameters } = usePlace()
  const { site } = useSession()
  const held = Object.fromEntries(
    filters.flatMap((name) => (parameters.get(name) ? [[name, parameters.get(name) ?? '']] : [])),
  )
  const log = useList('listAuditLog', (cursor) => ({
    query: { limit: 50, ...held, ...(cursor !== undefined && { cursor }) },
  }))
  const words = workspaceText.audit
  return (
    <Card>
      <Filter />
      <ListTable
        of={log}
        caption={text.pages.audit}
        keyOf={({ id }) => id}
        empty={{ title: words.empty }}
        columns={[
          {
            title: words.at,
            kind: 'time',
            cell: ({ at }) => formatTime(at, site.timezone),
          },
          {
            title: words.actor,
            cell: ({ actor, country }) => (
              <div className="stack tight">
                <span className="break">{actor.label}</span>
                <span className="soft small">
                  {[words.kinds[actor.kind], countryName(country)].filter(Boolean).join(', ')}
                </span>
              </div>
            ),
          },
          {
            title: words.action,
            cell: ({ action, outcome, object }) => (
              <div className="stack tight">
                <span className="row">
                  <span title={action}>{nameWords(action)}</span>
                  {outcome === 'unconfirmed' && <Badge kind="warn">{words.unconfirmed}</Badge>}
                </span>
                <code className="soft id middle">{object.id}</code>
              </div>
            ),
          },
          {
            title: words.details,
            cell: ({ details }) => <Details of={details} />,
          },
        ]}
      />
    </Card>
  )
}

const listedMax = 5

const isMoment = (value: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value)

/** Lists and objects by their first entries, moments in the time of the site. */
function written(value: unknown, timezone: string): string {
  if (typeof value === 'string') return isMoment(value) ? formatTime(value, timezone) : value
  if (typeof value === 'boolean') return value ? eventText.receipts.yes : eventText.receipts.no
  if (!Array.isArray(value) && !isRecord(value)) return JSON.stringify(value)
  const items = Array.isArray(value)
    ? value.map((item) => written(item, timezone))
    : Object.entries(value).map(([name, item]) => `${name} ${written(item, timezone)}`)
  const rest = items.length - listedMax
  return [...items.slice(0, listedMax), ...(rest > 0 ? [text.chart.more(rest)] : [])].join(', ')
}

const isSaid = (value: unknown) => value !== null && !(typeof value === 'object' && isEmpty(value))
const isEmpty = (value: object | null) => value !== null && Object.keys(value).length === 0

function Details({ of }: { of: Readonly<Record<string, unknown>> }) {
  const { site, sites } = useSession()
  return (
    <div className="small audit-details">
      {Object.entries(of)
        .filter(([, value]) => isSaid(value))
        .map(([name, value]) => {
          const named = sites.find(({ id }) => id === value)
          return (
            <div key={name}>
              <span className="soft">
                {named === undefined ? nameWords(name) : workspaceText.audit.site}:
              </span>{' '}
              {named?.name ?? written(value, site.timezone)}
            </div>
          )
        })}
    </div>
  )
}

function Filter() {
  const { parameters } = usePlace()
  const way = useWay()
  return (
    <div className="form-row">
      <Picker
        label={workspaceText.audit.action}
        placeholder={workspaceText.audit.anyAction}
        value={parameters.get('action') ?? ''}
        groups={auditActions}
        onChange={(action) => way.go(way.here({ action: action === '' ? null : action }))}
        isFree
      />
    </div>
  )
}
