import type { Receipt, RecentEvent } from '@assay/contract'
import { type ReactNode, useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatAgo, formatDuration, formatTime } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Badge, Card, Facts, Page } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Issues, Verdict } from '../../kit/issues.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { eventText } from '../../text/events.ts'
import { gateText } from '../../text/gate.ts'
import { text } from '../../text.ts'
import { ExplainLink } from '../attribution/explain-link.tsx'
import { identifierName } from '../people/identifier-name.ts'

/** About one screen. */
const latestShown = 20

/** Everything that happened to one event, whatever became of it. */
export default function ReceiptsPage() {
  const { parameters } = usePlace()
  const way = useWay()
  const eventId = parameters.get('id') ?? ''
  const [typed, setTyped] = useState(eventId)
  const submit = () => {
    way.go(way.here({ id: typed.trim() }))
  }
  return (
    <Page title={text.pages.receipts} lead={eventText.receipts.lead}>
      <Card>
        <Form className="form-row" onSubmit={submit} isSearch>
          <TextField label={eventText.receipts.eventId} value={typed} onChange={setTyped} isRequired isMono />
          <div>
            <Button type="submit" look="primary">
              {eventText.receipts.find}
            </Button>
          </div>
        </Form>
      </Card>
      {eventId !== '' && <Found key={eventId} eventId={eventId} />}
      {eventId === '' && <Latest onChoose={setTyped} />}
    </Page>
  )
}

/** For those without an id at hand: the events that came last, each with its receipt. */
function Latest({ onChoose }: { onChoose: (eventId: string) => void }) {
  const { siteId } = usePlace()
  const way = useWay()
  const words = eventText.receipts
  const recent = useRead('listRecentEvents', { query: { site_id: siteId } })
  return (
    <Card title={words.latest}>
      <Shown
        of={recent}
        empty={({ data }) =>
          receiptsOf(data).length === 0 ? <Empty title={words.none}>{words.noneDetail}</Empty> : null
        }
      >
        {({ data }) => (
          <Table
            caption={words.latest}
            rows={receiptsOf(data)}
            keyOf={({ id }) => id}
            columns={[
              { title: words.name, cell: ({ sent_name }) => <strong className="break">{sent_name}</strong> },
              {
                title: words.page,
                phone: 'bare',
                cell: ({ path }) => <span className="break">{path || text.nothing}</span>,
              },
              {
                title: words.verdict,
                phone: 'end',
                cell: ({ outcome }) => <Verdict outcome={outcome} />,
              },
              {
                title: words.eventId,
                cell: ({ event_id }) => (
                  <Link
                    className="mono id wide"
                    href={way.here({ id: event_id })}
                    onClick={() => onChoose(event_id)}
                  >
                    {event_id}
                  </Link>
                ),
              },
              {
                title: words.received,
                kind: 'time',
                phone: 'end',
                cell: ({ received_at }) => formatAgo(received_at, now()),
              },
            ]}
          />
        )}
      </Shown>
    </Card>
  )
}

/** A rejected event leaves none. */
const receiptsOf = (events: readonly RecentEvent[]): readonly RecentEvent[] =>
  events.filter(({ outcome }) => outcome !== 'reject').slice(0, latestShown)

function Found({ eventId }: { eventId: string }) {
  const receipt = useRead('getReceipt', { params: { event_id: eventId } })
  return (
    <Card title={eventId}>
      <Shown of={receipt}>{(data) => <ReceiptFacts receipt={data} />}</Shown>
    </Card>
  )
}

function countedWords({ counted, not_counted_because: reason, bot_reason }: Receipt): string {
  if (counted || reason === null) return eventText.receipts.yes
  const why =
    bot_reason !== null && reason === 'bot'
      ? gateText.bots.reasons[bot_reason]
      : gateText.bots.notCounted[reason]
  return `${eventText.receipts.no}: ${why}`
}

function ReceiptFacts({ receipt }: { receipt: Receipt }) {
  const { site } = useSession()
  const way = useWay()
  const words = eventText.receipts
  const time = (value: string) => formatTime(value, site.timezone)
  const { name, dedup, person, read_as } = receipt
  // What does not apply to this event takes no line.
  const facts: readonly (readonly [string, ReactNode])[] = [
    [words.name, name.sent === name.stored ? name.stored : words.renamed(name.sent, name.stored)],
    [words.rule, name.rule],
    [words.readAs, read_as === null ? null : read_as.name],
    [words.contract, `${receipt.contract.name} ${receipt.contract.version}`],
    [words.issues, <Issues key="issues" of={receipt.issues} />],
    [words.happened, time(receipt.time.ts)],
    [words.received, time(receipt.received_at)],
    [words.correction, formatDuration(Math.abs(receipt.time.correction_ms))],
    [words.counted, countedWords(receipt)],
    [words.duplicateOf, dedup.duplicate_of],
    [words.person, person.person_id === '' ? null : person.person_id],
    [words.resolvedBy, identifierName(person.resolved_by)],
    [words.session, receipt.session_id],
    [words.consent, receipt.consent_record_id],
  ]
  return (
    <div className="stack">
      <div className="row">
        <Verdict outcome={receipt.outcome} />
        <Badge>{words.states[receipt.state]}</Badge>
        {dedup.duplicate_of !== null && <Badge kind="warn">{words.duplicate}</Badge>}
        {receipt.bot && <Badge kind="warn">{gateText.bots.badge}</Badge>}
      </div>
      <Facts of={facts.filter(([, value]) => value !== null)} />
      <div className="row">
        {person.person_id !== '' && (
          <LinkButton href={way.to(`people/${person.person_id}`)}>{words.toPerson}</LinkButton>
        )}
        <ExplainLink eventId={receipt.event_id} name={name.stored} />
        {receipt.state === 'held' && (
          <LinkButton href={way.to('quarantine', { event: name.sent })}>{words.toQuarantine}</LinkButton>
        )}
      </div>
    </div>
  )
}
