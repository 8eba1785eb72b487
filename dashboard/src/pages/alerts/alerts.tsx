import { type Alert, alertLimits } from '@assay/contract'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo } from '../../format.ts'
import { LinkButton } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import type { PageProps } from '../../shell/page-props.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { AlertForm } from './alert-form.tsx'
import { AlertPage } from './alert-page.tsx'
import { AlertState } from './alert-state.tsx'
import { conditionWords, watchedWords } from './condition-words.ts'
import { useAlertNames } from './use-alert-names.ts'

export default function AlertsPage({ rest }: PageProps) {
  if (rest === '') return <AlertList />
  return rest === 'new' ? <NewAlert /> : <AlertPage id={rest} />
}

function NewAlert() {
  const way = useWay()
  return (
    <Page
      title={text.alerts.new}
      lead={text.alerts.lead}
      back={{ href: way.to('alerts'), title: text.alerts.back }}
    >
      <AlertForm alert={null} onSaved={() => {}} />
    </Page>
  )
}

function AlertList() {
  const { siteId } = usePlace()
  const way = useWay()
  const words = text.alerts
  const mayWrite = useMay('analytics:write')
  const alerts = useRead('listAlerts', { query: { siteId, limit: alertLimits.alertsMax } })
  const create = mayWrite && (
    <LinkButton look="primary" href={way.to('alerts/new')}>
      {words.new}
    </LinkButton>
  )
  return (
    <Page title={text.pages.alerts} lead={words.lead} acts={create}>
      <Card>
        <Shown
          of={alerts}
          empty={({ data }) =>
            data.length === 0 ? <Empty title={words.none}>{words.noneDetail}</Empty> : null
          }
        >
          {({ data }) => <AlertTable alerts={data} />}
        </Shown>
      </Card>
    </Page>
  )
}

function AlertTable({ alerts }: { alerts: readonly Alert[] }) {
  const way = useWay()
  const names = useAlertNames()
  const words = text.alerts
  return (
    <Table
      caption={text.pages.alerts}
      rows={alerts}
      keyOf={({ id }) => id}
      columns={[
        {
          title: words.name,
          sortBy: ({ name }) => name,
          cell: ({ id, name }) => <Link href={way.to(`alerts/${id}`)}>{name}</Link>,
        },
        {
          title: words.state,
          sortBy: ({ state }) => state,
          cell: (alert) => <AlertState alert={alert} />,
        },
        {
          title: words.condition,
          cell: (alert) => (
            <>
              {watchedWords(alert, names)} {words.per[alert.interval]}
              <p className="soft small">{conditionWords(alert.condition)}</p>
            </>
          ),
        },
        {
          title: words.checked,
          sortBy: ({ lastCheckedAt }) => lastCheckedAt,
          cell: ({ lastCheckedAt }) =>
            lastCheckedAt === null ? text.time.never : formatAgo(lastCheckedAt, now()),
        },
      ]}
    />
  )
}
