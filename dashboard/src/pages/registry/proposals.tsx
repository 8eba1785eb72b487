import type { Output, Proposal } from '@assay/contract'
import { type Reading, useRead, useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatCount } from '../../format.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Badge, Card } from '../../kit/card.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { gateText } from '../../text/gate.ts'
import { text } from '../../text.ts'

/** A week has every weekday in it. */
const days = 7
const shownMax = 20
const refreshed = [
  'listProposals',
  'listContracts',
  'getSeverities',
  'getCatalog',
  'countQuarantined',
] as const

export function useProposals(): Reading<Output<RouteOf<'listProposals'>>> {
  const { siteId } = usePlace()
  const isOff = !useMay('events:read')
  return useRead('listProposals', { query: { site_id: siteId, days, limit: shownMax } }, { isOff })
}

/** Contracts for what comes unregistered, each published with one click. Nothing is shown where nothing comes. */
export function Proposals() {
  const rows = useProposals().data?.data ?? []
  const words = gateText.proposals
  if (rows.length === 0) return null
  return (
    <Card title={words.title}>
      <p className="soft">{words.lead}</p>
      <Table
        caption={words.title}
        rows={rows}
        keyOf={({ key }) => key}
        columns={[
          {
            title: words.event,
            cell: ({ key, draft_version }: Proposal) => (
              <span className="row">
                <strong className="break">{key}</strong>
                {draft_version !== null && <Badge kind="warn">{words.draft}</Badge>}
              </span>
            ),
          },
          {
            title: words.properties,
            cell: ({ contract }: Proposal) => (
              <span className="soft small break">{describe(contract) || text.nothing}</span>
            ),
          },
          { title: words.events, kind: 'number', cell: ({ events }: Proposal) => formatCount(events) },
          { title: text.acts.act, kind: 'act', cell: (proposal: Proposal) => <Act proposal={proposal} /> },
        ]}
      />
    </Card>
  )
}

function describe({ properties }: Proposal['contract']): string {
  const said = Object.entries(properties).map(([name, { type, required }]) =>
    gateText.proposals.property(name, type, required === true),
  )
  return said.join('; ')
}

function Act({ proposal: { key, contract, draft_version } }: { proposal: Proposal }) {
  const way = useWay()
  const { siteId } = usePlace()
  const mayWrite = useMay('registry:write')
  const publishing = useWrite('createContract', refreshed)
  const say = useNotice()
  const words = gateText.proposals
  const publish = async () => {
    const body = { ...contract, status: 'published' as const, release: true, site_id: siteId }
    const made = await publishing.send({ body })
    if (made !== null) say(words.published(key, made.held?.released ?? 0))
  }
  const target = draft_version === null ? way.to('registry/new', { key }) : way.to(`registry/${key}`)
  return (
    <div className="row end">
      {mayWrite && draft_version === null && (
        <Button
          isCompact
          disabled={publishing.isSending}
          aria-label={words.publishOf(key)}
          onClick={() => void publish()}
        >
          {words.publish}
        </Button>
      )}
      <LinkButton isCompact href={target} aria-label={words.editOf(key)}>
        {words.edit}
      </LinkButton>
      <ProblemNote error={publishing.error} />
    </div>
  )
}
