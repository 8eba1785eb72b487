import { describe, expect, test } from 'vitest'
import { referenceText } from '../../testing/reference-data.ts'
import { toSessions } from '../testing/sessions.ts'
import { followGraph, neighbourhood, simplify, toFlowGraph } from './flow-graph.ts'
import type { Node } from './nodes.ts'
import type { Sessions } from './sessions.ts'

/** Names in order, a second apart; places in the list of names as nodes. */
function sessionsOf(lists: readonly (readonly string[])[]): { names: string[]; sessions: Sessions } {
  const names = [...new Set(lists.flat())].sort()
  const sessions = lists.map((list) =>
    list.map((name, place) => ({ step: names.indexOf(name), ms: place * 1000 })),
  )
  return { names, sessions: toSessions(sessions) }
}

const nodeOf = (name: string): Node => ({ id: name, type: 'event', label: name, match: { event: name } })

function edgesOf(lists: readonly (readonly string[])[]): Map<string, number> {
  const { names, sessions } = sessionsOf(lists)
  const { edges } = followGraph(sessions, names.length)
  return new Map(edges.map(({ from, to, count }) => [`${names[from]} > ${names[to]}`, count]))
}

describe('the graph of what follows what', () => {
  test('counts edges, sessions, entries and exits, and takes repeats for one visit', () => {
    const { names, sessions } = sessionsOf([
      ['a', 'a', 'b', 'a', 'b'],
      ['b', 'c'],
    ])
    const { nodes, edges } = followGraph(sessions, names.length)
    expect(nodes).toEqual([
      { sessions: 1, visits: 2, repeats: 1, entries: 1, exits: 0 },
      { sessions: 2, visits: 3, repeats: 0, entries: 1, exits: 1 },
      { sessions: 1, visits: 1, repeats: 0, entries: 0, exits: 1 },
    ])
    expect(edges).toEqual([
      { from: 0, to: 1, count: 2, sessions: 1, gapsMs: [1000, 1000] },
      { from: 1, to: 0, count: 1, sessions: 1, gapsMs: [1000] },
      { from: 1, to: 2, count: 1, sessions: 1, gapsMs: [1000] },
    ])
  })

  test('is bounded, keeps what is heavy and the way into a conversion, and says that something is missing', () => {
    const heavy = Array.from({ length: 200 }, () => ['home', 'list', 'home', 'list'])
    const rare = Array.from({ length: 40 }, (_, index) => ['home', `p${index}`])
    const { names, sessions } = sessionsOf([...heavy, ...rare, ['home', 'list', 'cart', '$purchase']])
    const graph = followGraph(sessions, names.length)
    const part = simplify(graph, names.map(nodeOf), 6)
    const shown = part.edges.map(({ from, to }) => `${names[from]} > ${names[to]}`)
    expect(part.shown.size).toBe(6)
    expect(part.isTruncated).toBe(true)
    expect(shown).toContain('home > list')
    expect(shown).toContain('cart > $purchase')
    expect(part.edges.length).toBeLessThanOrEqual(24)
    const around = neighbourhood(graph, names.indexOf('home'))
    expect(around.edges).toHaveLength(1 + 15)
    expect(around.isTruncated).toBe(true)
  })

  test('of nothing is empty', () => {
    const nothing = { nodes: [], sessions: toSessions([]), sampledShare: 1 }
    const period = { fromMs: 0, toMs: 1, timezone: 'UTC', nowMs: 0 }
    expect(toFlowGraph(nothing, { siteId: 's', period, nodesMax: 40, around: undefined })).toMatchObject({
      nodes: [],
      edges: [],
      truncated: false,
    })
  })

  test('equals the published 16 edges of the running example of process mining', () => {
    const log = referenceText('funnels/pm4py_running_example.csv')
    const answer = referenceText('funnels/pm4py_running_example_dfg.json')
    if (log === null || answer === null) return
    const rows = log
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(';'))
    const cases = Map.groupBy(rows, ([id]) => id)
    const lists = [...cases.values()].map((events) =>
      events.toSorted((a, b) => Date.parse(a[2] ?? '') - Date.parse(b[2] ?? '')).map((row) => row[1] ?? ''),
    )
    const expected = JSON.parse(answer).dfg.map(([from, to, count]: [string, string, number]) => [
      `${from} > ${to}`,
      count,
    ])
    expect(edgesOf(lists)).toEqual(new Map(expected))
  })

  test('equals the published counts of 31,790 sessions of a news site', () => {
    const text = referenceText('clickstream/msnbc_spmf_sequences.txt')
    const answer = referenceText('clickstream/msnbc_reference_dfg.json')
    if (text === null || answer === null) return
    const { categories, dfg_top30: top, n_edges: edgeCount } = JSON.parse(answer)
    const lists = text
      .trim()
      .split('\n')
      .map((line) =>
        line
          .trim()
          .split(/\s+/)
          .map((id) => String(categories[id])),
      )
    expect(lists).toHaveLength(31_790)
    const edges = edgesOf(lists)
    expect(edges.get('frontpage > news')).toBe(24_039)
    for (const [from, to, count] of top) expect(edges.get(`${from} > ${to}`)).toBe(count)
    expect(edges.size).toBe(edgeCount)
  })
})
