import type { FlowGraph, Journeys } from '@assay/contract'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { type Reading, useRead } from '../../api/reads.ts'
import { FilterBar } from '../../filters/filter-bar.tsx'
import { formatCount, formatDuration, formatShare } from '../../format.ts'
import { Badge, Card, Facts, Page } from '../../kit/card.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useArrived } from '../../kit/use-arrived.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useRangeQuery } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { flowAsked } from '../main-reads.ts'
import { Drawing } from './drawing.tsx'

/** What follows what: choose a place and see where people came from and went to. */
export default function FlowPage() {
  const place = usePlace()
  const around = place.parameters.get('node')
  const graph = useRead('getFlowGraph', flowAsked(place))
  const journeys = useJourneys(around)
  const hasArrived = useArrived([journeys])
  const words = text.flow
  return (
    <Page title={text.pages.flow} lead={words.lead}>
      <FilterBar />
      <Paths of={journeys} />
      {hasArrived && (
        <Shown
          of={graph}
          lines={8}
          empty={({ nodes }) =>
            nodes.length === 0 ? (
              <Card>
                <Empty title={words.empty} />
              </Card>
            ) : null
          }
        >
          {(data) => (around === null ? <Places graph={data} /> : <Around graph={data} nodeId={around} />)}
        </Shown>
      )}
    </Page>
  )
}

type Node = FlowGraph['nodes'][number]

function useNodeLink(): (id: string, label: string) => ReactNode {
  const way = useWay()
  return (id, label) => (
    <Link href={way.here({ node: id })} title={text.flow.around(label)}>
      {label}
    </Link>
  )
}

function Places({ graph }: { graph: FlowGraph }) {
  const link = useNodeLink()
  const most = Math.max(1, ...graph.nodes.map(({ sessions }) => sessions))
  const words = text.flow
  return (
    <Card title={words.places}>
      <ul className="bars">
        {graph.nodes.map(({ id, label, sessions, type }) => (
          <li key={id}>
            <span className="fill" style={{ width: `${(sessions / most) * 100}%` }} />
            {link(id, label)}
            <span>
              <Badge>{words.types[type]}</Badge> {formatCount(sessions)}
            </span>
          </li>
        ))}
      </ul>
      {graph.truncated && <p className="soft small">{words.truncated}</p>}
    </Card>
  )
}

function Around({ graph, nodeId }: { graph: FlowGraph; nodeId: string }) {
  const way = useWay()
  const node = graph.nodes.find(({ id }) => id === nodeId)
  const words = text.flow
  return (
    <>
      <div>
        <Link href={way.here({ node: null })}>{words.all}</Link>
      </div>
      {node === undefined ? (
        <Empty title={words.notThere} />
      ) : (
        <div className="columns">
          <Side graph={graph} node={node} side="from" />
          <Card title={node.label}>
            <Facts
              of={[
                [words.kind, words.types[node.type]],
                [words.sessions, formatCount(node.sessions)],
                [words.entries, formatCount(node.entries)],
                [words.exits, formatCount(node.exits)],
                [words.repeats, formatCount(node.repeats)],
              ]}
            />
          </Card>
          <Side graph={graph} node={node} side="to" />
        </div>
      )}
    </>
  )
}

function Side({ graph, node, side }: { graph: FlowGraph; node: Node; side: 'from' | 'to' }) {
  const link = useNodeLink()
  const near = side === 'to' ? 'from' : 'to'
  const edges = graph.edges.filter((edge) => edge[near] === node.id)
  const sorted = edges.toSorted((a, b) => b.sessions - a.sessions)
  const most = Math.max(1, ...sorted.map(({ sessions }) => sessions))
  const labelOf = (id: string) => graph.nodes.find((other) => other.id === id)?.label ?? id
  const words = text.flow
  return (
    <Card title={side === 'from' ? words.before : words.next}>
      {sorted.length === 0 && <Empty title={side === 'from' ? words.nothingBefore : words.nothingNext} />}
      <ul className="bars">
        {sorted.map((edge) => (
          <li key={`${edge.from} ${edge.to}`}>
            <span className="fill" style={{ width: `${(edge.sessions / most) * 100}%` }} />
            {link(edge[side], labelOf(edge[side]))}
            <span>
              {formatCount(edge.sessions)}{' '}
              <span className="soft small">
                {formatShare(edge.share)}
                {edge.medianTimeMs !== null && `, ${formatDuration(edge.medianTimeMs)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Enough of them to be nearly all visits of most sites. */
const pathsMax = 200
const pathsListed = 10

function useJourneys(startsAt: string | null): Reading<Journeys> {
  const query = useRangeQuery()
  return useRead('listJourneys', {
    query: { ...query, limit: pathsMax, ...(startsAt !== null && { startsAt }) },
  })
}

/** Step by step from the beginning of visits, or from the chosen place on. */
function Paths({ of }: { of: Reading<Journeys> }) {
  return (
    <Shown of={of} lines={8}>
      {(data) =>
        data.journeys.length > 0 && (
          <>
            <Drawing data={data} />
            <TopPaths paths={data.journeys.slice(0, pathsListed)} />
          </>
        )
      }
    </Shown>
  )
}

function TopPaths({ paths }: { paths: Journeys['journeys'] }) {
  const words = text.flow
  return (
    <Card title={words.journeys}>
      <Table
        caption={words.journeys}
        rows={paths}
        keyOf={({ steps }) => steps.map(({ key }) => key).join(' ')}
        columns={[
          { title: words.way, cell: ({ steps }) => steps.map(({ label }) => label).join(' → ') },
          { title: words.sessions, kind: 'number', cell: ({ sessions }) => formatCount(sessions) },
          { title: words.share, kind: 'number', cell: ({ share }) => formatShare(share) },
          { title: words.converted, kind: 'number', cell: ({ converted }) => formatCount(converted) },
        ]}
      />
    </Card>
  )
}
