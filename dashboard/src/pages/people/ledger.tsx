import { type LedgerEntry, ledgerTypes } from '@assay/contract'
import { Link } from 'wouter'
import { useList, useRead } from '../../api/reads.ts'
import { formatCount, formatTime } from '../../format.ts'
import { Badge, Card, Page } from '../../kit/card.tsx'
import { Select } from '../../kit/select.tsx'
import { NoPermission, Shown } from '../../kit/states.tsx'
import { ListTable } from '../../kit/table.tsx'
import { capitalised } from '../../plural.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'
import { ReverseButton } from './reverse-button.tsx'

/** Every merge and reversal, in a chain that reveals tampering. */
export default function LedgerPage() {
  if (useMay('identity:read')) return <Ledger />
  return (
    <Page title={text.pages.ledger} lead={peopleText.ledger.lead}>
      <Card>
        <NoPermission />
      </Card>
    </Page>
  )
}

function Ledger() {
  const { parameters } = usePlace()
  const way = useWay()
  const type = ledgerTypes.find((name) => name === parameters.get('type'))
  const personId = parameters.get('person')
  const ledger = useList('listLedger', (cursor) => ({
    query: {
      limit: 50,
      ...(type !== undefined && { type }),
      ...(personId !== null && { person_id: personId }),
      ...(cursor !== undefined && { cursor }),
    },
  }))
  return (
    <Page title={text.pages.ledger} lead={peopleText.ledger.lead} acts={<Chain />}>
      <Card>
        <div>
          <Select
            name={peopleText.ledger.which}
            value={type ?? 'all'}
            choices={[
              { value: 'all', label: peopleText.ledger.all },
              ...ledgerTypes.map((value) => ({
                value: String(value),
                label: capitalised(peopleText.ledger.types[value]),
              })),
            ]}
            onChange={(value) => way.go(way.here({ type: value === 'all' ? null : value }))}
          />
        </div>
        <ListTable
          of={ledger}
          caption={text.pages.ledger}
          keyOf={({ id }) => id}
          empty={{ title: peopleText.ledger.empty, detail: peopleText.ledger.emptyDetail }}
          columns={useColumns()}
        />
      </Card>
    </Page>
  )
}

function Chain() {
  const chain = useRead('verifyLedger', {})
  return (
    <Shown of={chain} lines={1}>
      {({ valid, entries }) => (
        <Badge kind={valid ? 'accept' : 'reject'}>
          {valid ? peopleText.ledger.whole(formatCount(entries)) : peopleText.ledger.broken}
        </Badge>
      )}
    </Shown>
  )
}

function useColumns() {
  const { site } = useSession()
  const way = useWay()
  const mayWrite = useMay('identity:write')
  const person = (id: string | null) =>
    id === null ? (
      text.nothing
    ) : (
      <Link className="mono id" href={way.to(`people/${id}`)}>
        {id}
      </Link>
    )
  return [
    {
      title: peopleText.ledger.number,
      kind: 'number' as const,
      cell: ({ seq }: LedgerEntry) => formatCount(seq),
    },
    {
      title: peopleText.ledger.what,
      phone: 'bare' as const,
      cell: ({ type, reversed_by, confidence }: LedgerEntry) => (
        <span className="one-line">
          <Badge>{peopleText.ledger.types[type]}</Badge>{' '}
          {confidence !== null && (
            <span className="soft small">{peopleText.people.confidences[confidence]}</span>
          )}{' '}
          {reversed_by !== null && <Badge kind="warn">{peopleText.ledger.reversed}</Badge>}
        </span>
      ),
    },
    { title: peopleText.ledger.survivor, cell: ({ survivor_id }: LedgerEntry) => person(survivor_id) },
    { title: peopleText.ledger.absorbed, cell: ({ absorbed_id }: LedgerEntry) => person(absorbed_id) },
    {
      title: peopleText.ledger.reason,
      cell: ({ reason, actor }: LedgerEntry) => <span className="break short">{reason ?? actor}</span>,
    },
    {
      title: peopleText.ledger.at,
      kind: 'time' as const,
      phone: 'end' as const,
      cell: ({ created_at }: LedgerEntry) => formatTime(created_at, site.timezone),
    },
    {
      title: text.acts.act,
      kind: 'act' as const,
      phone: 'end' as const,
      cell: (entry: LedgerEntry) =>
        mayWrite && entry.reversed_by === null && (entry.type === 'merge' || entry.type === 'link') ? (
          <ReverseButton entry={entry} />
        ) : null,
    },
  ]
}
