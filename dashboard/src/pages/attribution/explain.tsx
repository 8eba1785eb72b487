import { attributionModels, type Explanation } from '@assay/contract'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { formatDay, formatMoney, formatShare, formatTime } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Badge, Card, Facts, Page } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { OutcomesCard } from './outcomes-card.tsx'

/** One outcome in words that need no statistics: what counted, what did not and why, and who it was. */
export function ExplainPage({ outcomeId }: { outcomeId: string }) {
  const way = useWay()
  // Null while the field shows what the address says.
  const [typed, setTyped] = useState<string | null>(null)
  const wanted = typed ?? outcomeId
  const submit = () => {
    way.go(way.to(`attribution/explain/${wanted.trim()}`))
    setTyped(null)
  }
  const isChosen = outcomeId !== ''
  const back = isChosen
    ? { href: way.to('attribution/explain'), title: text.explain.another }
    : { href: way.to('attribution'), title: text.pages.attribution }
  return (
    <Page title={text.explain.title} back={back}>
      <Card>
        <Form className="form-row" onSubmit={submit} isSearch>
          <TextField
            label={text.explain.outcomeId}
            hint={text.explain.hint}
            value={wanted}
            onChange={setTyped}
            isRequired
            isMono
          />
          <div>
            <Button type="submit" look="primary">
              {text.explain.explain}
            </Button>
          </div>
        </Form>
      </Card>
      {isChosen ? (
        <Explained key={outcomeId} outcomeId={outcomeId} />
      ) : (
        <OutcomesCard onChoose={() => setTyped(null)} />
      )}
    </Page>
  )
}

function Explained({ outcomeId }: { outcomeId: string }) {
  const explanation = useRead('explainOutcome', { params: { outcomeId } })
  return (
    <Shown of={explanation} lines={8}>
      {(data) => (
        <>
          <Story explanation={data} />
          <Credits explanation={data} />
          {data.excluded.length > 0 && <LeftOut explanation={data} />}
          <Models explanation={data} />
        </>
      )}
    </Shown>
  )
}

function Story({ explanation }: { explanation: Explanation }) {
  const { site } = useSession()
  const way = useWay()
  const { outcome, model, considered, excluded, identity, policy_version } = explanation
  const words = text.explain
  const amount = outcome.amount === null ? '' : formatMoney(outcome.amount, outcome.currency)
  const day = (time: string) => formatDay(time, site.timezone)
  return (
    <Card title={words.story(outcome.event, amount)}>
      <p>{words.summary(considered.length, excluded.length, text.attribution.models[model])}</p>
      <Facts
        of={[
          [words.when, formatTime(outcome.at, site.timezone)],
          [
            words.who,
            <Link key="who" href={way.to(`people/${identity.person_id}`)}>
              {identity.person_id}
            </Link>,
          ],
          [words.knownAs, words.people(identity.people.length)],
          [words.policy, text.attribution.version(policy_version)],
          [words.window, words.between(day(explanation.window.from), day(explanation.window.to))],
        ]}
      />
      {explanation.computed?.is_current === false && <p className="note warn">{words.changed}</p>}
    </Card>
  )
}

function Credits({ explanation }: { explanation: Explanation }) {
  const { site } = useSession()
  const { amount, currency } = explanation.outcome
  const words = text.explain
  if (explanation.considered.length === 0) {
    return (
      <Card title={words.considered}>
        <Empty title={words.nothing}>{words.nothingDetail}</Empty>
      </Card>
    )
  }
  return (
    <Card title={words.considered}>
      <Table
        caption={words.considered}
        rows={explanation.considered}
        keyOf={({ touchpoint }) => touchpoint.id}
        columns={[
          {
            title: words.when,
            kind: 'time',
            cell: ({ touchpoint }) => formatTime(touchpoint.at, site.timezone),
          },
          { title: words.channel, cell: ({ touchpoint }) => <strong>{touchpoint.channel}</strong> },
          {
            title: words.from,
            cell: ({ touchpoint: { source, campaign, referrer_host } }) =>
              [source, campaign, referrer_host].filter(Boolean).join(' · ') || text.nothing,
          },
          { title: words.credit, kind: 'number', cell: ({ credit }) => formatShare(credit) },
          ...(amount === null
            ? []
            : [
                {
                  title: words.amount,
                  kind: 'number' as const,
                  cell: ({ credit }: Explanation['considered'][number]) =>
                    formatMoney(credit * amount, currency),
                },
              ]),
        ]}
      />
    </Card>
  )
}

function LeftOut({ explanation }: { explanation: Explanation }) {
  const { site } = useSession()
  const words = text.explain
  return (
    <Card title={words.excluded}>
      <Table
        caption={words.excluded}
        rows={explanation.excluded}
        keyOf={({ touchpoint, reason }) => `${touchpoint.id} ${reason}`}
        columns={[
          {
            title: words.when,
            kind: 'time',
            cell: ({ touchpoint }) => formatTime(touchpoint.at, site.timezone),
          },
          { title: words.channel, cell: ({ touchpoint }) => touchpoint.channel },
          { title: words.why, cell: ({ reason }) => <Badge>{words.reasons[reason]}</Badge> },
        ]}
      />
    </Card>
  )
}

function Models({ explanation: { alternatives } }: { explanation: Explanation }) {
  const channels = [...new Set(Object.values(alternatives).flatMap((credits) => Object.keys(credits)))]
  const words = text.explain
  return (
    <Card title={words.alternatives}>
      <Table
        caption={words.alternatives}
        rows={channels}
        keyOf={(channel) => channel}
        columns={[
          { title: words.channel, cell: (channel) => channel },
          ...attributionModels.map((model) => ({
            title: text.attribution.models[model],
            kind: 'number' as const,
            cell: (channel: string) => formatShare(alternatives[model]?.[channel] ?? 0),
          })),
        ]}
      />
    </Card>
  )
}
