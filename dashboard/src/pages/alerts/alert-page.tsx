import type { Alert, Firing } from '@assay/contract'
import { useList, useRead, useWrite } from '../../api/reads.ts'
import { formatMinute, formatRate } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { AlertForm } from './alert-form.tsx'
import { PreviewCard } from './alert-preview.tsx'
import { AlertState } from './alert-state.tsx'
import { conditionWords, limitWords, watchedWords } from './condition-words.ts'
import { useAlertNames } from './use-alert-names.ts'
import '../../style/boards.css'

/** One alert: its state, the past as it judges it, and when it fired. */
export function AlertPage({ id }: { id: string }) {
  const way = useWay()
  const { parameters } = usePlace()
  const alert = useRead('getAlert', { params: { id } })
  const mayWrite = useMay('analytics:write')
  const isEditing = mayWrite && parameters.get('edit') === '1'
  return (
    <Page
      title={alert.data?.name ?? text.pages.alerts}
      acts={mayWrite && alert.data !== undefined && !isEditing && <AlertActs alert={alert.data} />}
      back={{ href: way.to('alerts'), title: text.alerts.back }}
    >
      <Shown of={alert}>
        {(data) =>
          isEditing ? (
            <AlertForm alert={data} onSaved={() => way.go(way.here({ edit: null }))} />
          ) : (
            <AlertView alert={data} />
          )
        }
      </Shown>
    </Page>
  )
}

function AlertView({ alert }: { alert: Alert }) {
  const names = useAlertNames()
  const { site } = useSession()
  const words = text.alerts
  const preview = useRead('getAlertPreview', { params: { id: alert.id } })
  return (
    <>
      <Card title={words.settings}>
        <Facts
          of={[
            [words.state, <AlertState key="state" alert={alert} />],
            [words.watched, `${watchedWords(alert, names)} ${words.per[alert.interval]}`],
            [words.condition, conditionWords(alert.condition)],
            [words.last, alert.lastValue === null ? null : formatRate(alert.lastValue)],
            [
              words.checked,
              alert.lastCheckedAt === null ? null : formatMinute(alert.lastCheckedAt, site.timezone),
            ],
            [words.recipients, alert.recipients.join(', ')],
            [words.slack, alert.slackUrl],
          ]}
        />
      </Card>
      <PreviewCard reading={preview} />
      <Firings id={alert.id} />
    </>
  )
}

function Firings({ id }: { id: string }) {
  const { site } = useSession()
  const words = text.alerts
  const firings = useList('listFirings', (cursor) => ({
    params: { id },
    query: { ...(cursor !== undefined && { cursor }) },
  }))
  return (
    <Card title={words.firings}>
      <ListTable
        caption={words.firings}
        of={firings}
        empty={{ title: words.noFirings }}
        keyOf={(firing) => firing.id}
        columns={[
          {
            title: words.opened,
            kind: 'time',
            cell: ({ openedAt }) => formatMinute(openedAt, site.timezone),
          },
          {
            title: words.closed,
            cell: ({ closedAt }) => (closedAt === null ? words.still : formatMinute(closedAt, site.timezone)),
          },
          { title: words.value, kind: 'number', cell: ({ value }) => formatRate(value) },
          { title: words.limits, cell: ({ low, high }) => limitWords(low, high) },
          { title: words.messages, cell: (firing) => <Messages of={firing} /> },
        ]}
      />
    </Card>
  )
}

function Messages({ of: { messages } }: { of: Firing }) {
  const words = text.alerts
  if (messages.length === 0) return <span className="soft">{words.noMessages}</span>
  return (
    <ul className="plain-list">
      {messages.map(({ type, channel, recipient, status, error }) => (
        <li key={`${type} ${channel} ${recipient}`} className="break">
          {words.message(channel === 'slack' ? words.toSlack : recipient, words.statuses[status])}
          {error !== null && <p className="fault small">{error}</p>}
        </li>
      ))}
    </ul>
  )
}

function AlertActs({ alert }: { alert: Alert }) {
  const way = useWay()
  const say = useNotice()
  const words = text.alerts
  const update = useWrite('updateAlert', ['getAlert', 'listAlerts', 'listFirings'])
  const remove = useWrite('deleteAlert', ['listAlerts'])
  const toggle = async () => {
    const isPaused = !alert.isPaused
    const saved = await update.send({ params: { id: alert.id }, body: { isPaused } })
    if (saved !== null) say(isPaused ? words.pausedNow : words.resumed)
  }
  const confirm = async () => {
    if ((await remove.send({ params: { id: alert.id } })) === null) return false
    say(words.deleted(alert.name))
    way.go(way.to('alerts'))
    return true
  }
  return (
    <>
      <ProblemNote error={update.error} />
      <Button disabled={update.isSending} onClick={() => void toggle()}>
        {alert.isPaused ? words.resume : words.pause}
      </Button>
      <Confirm
        act={words.delete}
        title={words.deleteTitle(alert.name)}
        error={remove.error}
        isSending={remove.isSending}
        onConfirm={confirm}
      >
        <p>{words.deleteDetail}</p>
      </Confirm>
      <Button look="primary" onClick={() => way.go(way.here({ edit: '1' }))}>
        {text.boards.edit}
      </Button>
    </>
  )
}
