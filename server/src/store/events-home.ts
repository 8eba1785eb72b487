import { randomUUID } from 'node:crypto'
import type { Control } from './control.ts'
import type { Events } from './events.ts'
import { locks } from './locks.ts'

/** The nodes of an installation would count in different events stores, each a part of what happened. */
export class EventsApart extends Error {
  override readonly name = 'EventsApart'
}

/** An events store has its own name in the one table that every store has from its first start on. */
export const identityPrefix = 'store '
const homeName = 'events_home'

type HomeOptions = {
  isEmbedded: boolean
  /** The operator says that the events of this installation are here from now on. */
  takeOver: boolean
}

/**
 * All nodes that share a control store use one events store, the one of the first of them. A control store of
 * one process cannot conflict.
 */
export async function requireEventsHome(
  control: Control,
  events: Events,
  { isEmbedded, takeOver }: HomeOptions,
): Promise<void> {
  if (!control.shared) return
  await control.exclusively(locks.migrations, async () => {
    const here = await identityOf(events)
    if (takeOver) return claim(control, here)
    const home = await readHome(control)
    if (home === null) return claim(control, here)
    if (home !== here) throw new EventsApart(adviceFor(isEmbedded))
  })
}

async function identityOf(events: Events): Promise<string> {
  const [found] = await events.query<{ name: string }>(
    'SELECT name FROM migrations WHERE startsWith(name, {prefix:String}) ORDER BY name LIMIT 1',
    { prefix: identityPrefix },
  )
  if (found !== undefined) return found.name
  const name = identityPrefix + randomUUID()
  await events.command('INSERT INTO migrations SELECT {name:String}', { name })
  return name
}

async function readHome(control: Control): Promise<string | null> {
  const [row] = await control.query<{ value: string }>('SELECT value FROM installation WHERE name = $1', [
    homeName,
  ])
  return row?.value ?? null
}

async function claim(control: Control, home: string): Promise<void> {
  await control.query(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [homeName, home],
  )
}

function adviceFor(isEmbedded: boolean): string {
  const here = isEmbedded
    ? 'This node keeps events in its own data directory, and the other nodes on this Postgres use another events store.'
    : 'The nodes on this Postgres use another events store than this one.'
  return (
    `${here} Each would count a part. Set ASSAY_CLICKHOUSE_URL to the same server on all of them. ` +
    'If the events of this installation are meant to be here from now on (a lost machine, a move to a server), ' +
    'stop the other nodes and start this one once with ASSAY_EVENTS_TAKE_OVER=true.'
  )
}
