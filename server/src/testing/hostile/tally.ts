import type { Case } from './campaign.ts'
import type { Reply } from './connection.ts'

type RouteTally = { requests: number; ms: number; byStatus: Map<number, number> }
type Extreme = { value: number; what: string }

/** What a campaign has seen so far. */
export type Tally = {
  add: (drawn: Case, reply: Reply) => void
  requests: () => number
  statusLine: () => string
  summary: () => string[]
}

export function createTally(): Tally {
  const byRoute = new Map<string, RouteTally>()
  const byClass = new Map<string, number>()
  let requests = 0
  let slowest: Extreme = { value: 0, what: '' }
  let largest: Extreme = { value: 0, what: '' }

  return {
    add({ request, number }, { status, ms, bytes }) {
      requests++
      const name = `${request.route.id}, case ${number}: ${request.label.slice(0, 80)}`
      const known = byRoute.get(request.route.id) ?? { requests: 0, ms: 0, byStatus: new Map() }
      known.requests++
      known.ms += ms
      known.byStatus.set(status, (known.byStatus.get(status) ?? 0) + 1)
      byRoute.set(request.route.id, known)
      const group = status === 0 ? 'none' : `${Math.floor(status / 100)}xx`
      byClass.set(group, (byClass.get(group) ?? 0) + 1)
      if (ms > slowest.value) slowest = { value: ms, what: name }
      const sent =
        200 + request.path.length + (request.body === undefined ? 0 : Buffer.byteLength(request.body))
      if (request.route.plane === 'data' && bytes / sent > largest.value) {
        largest = { value: bytes / sent, what: name }
      }
    },
    requests: () => requests,
    statusLine: () =>
      [...byClass]
        .toSorted()
        .map(([group, count]) => `${group} ${count}`)
        .join(', '),
    summary: () => [
      ...[...byRoute].toSorted(([, a], [, b]) => b.ms - a.ms).map(([id, tally]) => routeLine(id, tally)),
      `slowest request ${slowest.value.toFixed(0)} ms (${slowest.what})`,
      `largest answer ${largest.value.toFixed(1)} times its request (${largest.what})`,
    ],
  }
}

function routeLine(id: string, { requests, ms, byStatus }: RouteTally): string {
  const statuses = [...byStatus].toSorted(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  const average = (ms / requests).toFixed(1).padStart(8)
  return `${id.padEnd(28)}${String(requests).padStart(8)}${average} ms  ${statuses.join('  ')}`
}
