import { diskReserve, figures, usedShare } from './figures.ts'

export type Load = {
  eventsPerDay: number
  /** For how many days events are kept. */
  days: number
  /** The busiest second, as a multiple of the average one. */
  peak: number
  /** Whether senders put several events into a request. */
  isBatched: boolean
  /** Of the largest site, as a share of all events: a read is about one site. */
  largestShare: number
}

type Layout = 'one process' | 'servers' | 'replicated'

export type Sizing = {
  layout: Layout
  eventsPerSecond: { average: number; peak: number }
  nodes: number
  /** To take events in and store them, over all nodes and the store. */
  ingestCores: number
  /** To answer a fresh overview with a filter of 30 days of the largest site in time. */
  readCores: number
  memoryGigabytes: number
  diskGigabytes: number
  /** What the log holds if the events store is away for an hour at the busiest time. */
  logGigabytes: number
}

const secondsPerDay = 86_400
/** What is easily given to one process; for more, the events go to a server of their own. */
const processCores = { ingest: 4, read: 8 }
const gigabyte = 1e9
/** For a server of events or of accounts next to the nodes. */
const serverGigabytes = 8
const replicas = 2
const logServers = 3

export function sizeOf({ eventsPerDay, days, peak, isBatched, largestShare }: Load): Sizing {
  const average = eventsPerDay / secondsPerDay
  const busiest = average * peak
  const kind = isBatched ? 'batched' : 'single'
  const busyCores = (micros: number) => (busiest * micros) / 1e6 / usedShare
  const mains = Math.max(1, Math.ceil(busyCores(figures.mainMicros[kind])))
  const ingestCores = Math.max(1, Math.ceil(busyCores(figures.allMicros[kind])))
  const monthMicros = eventsPerDay * 30 * largestShare * figures.readMicros
  const readCores = Math.max(1, Math.ceil(monthMicros / 1e6 / figures.readSecondsMax))
  const layout = layoutOf(mains, ingestCores, readCores)
  const isReplicated = layout === 'replicated'
  // One more than is busy, so that any of them may be lost.
  const nodes = isReplicated ? mains + 1 : 1
  const copies = isReplicated ? replicas : 1
  return {
    layout,
    eventsPerSecond: { average, peak: busiest },
    nodes,
    ingestCores,
    readCores,
    memoryGigabytes: memoryOf(layout, nodes),
    diskGigabytes: (eventsPerDay * days * figures.storedBytes * diskReserve * copies) / gigabyte,
    logGigabytes: (busiest * 3_600 * figures.loggedBytes * (isReplicated ? logServers : 1)) / gigabyte,
  }
}

function layoutOf(mains: number, ingestCores: number, readCores: number): Layout {
  if (mains > 1) return 'replicated'
  return ingestCores > processCores.ingest || readCores > processCores.read ? 'servers' : 'one process'
}

function memoryOf(layout: Layout, nodes: number): number {
  const processes = Math.ceil(nodes * figures.processGigabytes)
  if (layout === 'one process') return Math.max(2, processes)
  return processes + (layout === 'replicated' ? 2 * replicas : 2) * serverGigabytes
}
