import { type ConsentCategory, isRecord } from '@assay/contract'
import type { Clock, NewId } from '../platform/clock.ts'
import type { Control } from '../store/control.ts'
import type { Destinations, Target } from './destinations.ts'
import { insertDispatches, type NewDispatch } from './dispatch-store.ts'
import { retryUntil } from './sender.ts'

/** Takes the lines of a loaded segment of the log. May be called again for the same one. */
export type Forward = (lines: AsyncIterable<string>) => Promise<void>

/** Whom an event names, as far as consent depends on it. */
export type Named = {
  siteId: string
  /** The original person: the only trace of a person_id that the sender gave. */
  personId: string | undefined
  userId: string | undefined
  anonymousId: string | undefined
  context: Readonly<Record<string, unknown>>
}

/** Whether the person of an event grants all of these now. */
export type Grants = (
  workspaceId: string,
  event: Named,
  purposes: readonly ConsentCategory[],
) => Promise<boolean>

type ForwardingOptions = {
  control: Control
  destinations: Destinations
  grants: Grants
  now: Clock
  newId: NewId
}

/** Every line begins with it; see ingest/row.ts. */
const lineStart = '{"workspace_id":"'
/** One statement for many; a segment of 16 MB holds some 30,000 events. */
const rowsAtOnce = 500

/** Puts stored events into the queue of every destination that wants them, once each. */
export function createForwarding(options: ForwardingOptions): Forward {
  const { control, destinations, now } = options
  return async (lines) => {
    if (!destinations.hasAny()) return
    let rows: NewDispatch[] = []
    const save = async () => {
      const nowMs = now()
      const times = { at: new Date(nowMs), until: retryUntil(nowMs) }
      if (rows.length > 0) await insertDispatches(control, rows, times)
      rows = []
    }
    for await (const line of lines) {
      const workspaceId = line.slice(lineStart.length, line.indexOf('"', lineStart.length))
      const targets = destinations.activeOf(workspaceId).filter(({ events }) => events.length > 0)
      if (targets.length === 0) continue
      rows.push(...(await dispatchesOf(options, workspaceId, targets, line)))
      if (rows.length >= rowsAtOnce) await save()
    }
    await save()
  }
}

async function dispatchesOf(
  { grants, newId }: ForwardingOptions,
  workspaceId: string,
  targets: readonly Target[],
  line: string,
): Promise<NewDispatch[]> {
  const event: unknown = JSON.parse(line)
  // Counts of rejected and repeated events, and validations of quarantined ones, are lines too.
  if (!isRecord(event) || textOf(event.event_id) === undefined) return []
  if (event.outcome !== 'accept' && event.outcome !== 'warn') return []
  const name = textOf(event.name) ?? ''
  const rows: NewDispatch[] = []
  for (const target of targets) {
    if (!target.events.includes('*') && !target.events.includes(name)) continue
    if (target.site_id !== null && target.site_id !== event.site_id) continue
    const isGranted =
      target.purposes.length === 0 || (await grants(workspaceId, namedIn(event), target.purposes))
    if (!isGranted) continue
    rows.push({
      id: newId('msg'),
      workspace_id: workspaceId,
      destination_id: target.id,
      // A public and a secret sender may each have sent an event with one id.
      subject: storable(`${event.is_public === 1 ? 'public event' : 'event'} ${textOf(event.event_id)}`),
      kind: 'event',
      type: storable(name),
      person_id: textOf(event.person_id) ?? '',
      body: bodyOf(name, event),
    })
  }
  return rows
}

function namedIn(event: Record<string, unknown>): Named {
  return {
    siteId: textOf(event.site_id) ?? '',
    personId: textOf(event.person_id),
    userId: textOf(event.user_id),
    anonymousId: textOf(event.anonymous_id),
    context: isRecord(event.context) ? event.context : {},
  }
}

function bodyOf(name: string, event: Record<string, unknown>): string {
  const time = (value: unknown) => new Date(Number(value)).toISOString()
  const text = (value: unknown) => textOf(value) ?? null
  return JSON.stringify({
    type: 'event',
    timestamp: time(event.received_at),
    data: {
      event: name,
      event_id: event.event_id,
      site_id: event.site_id,
      ts: time(event.ts),
      received_at: time(event.received_at),
      outcome: event.outcome,
      contract_version: text(event.contract_version),
      person_id: text(event.person_id),
      user_id: text(event.user_id),
      anonymous_id: text(event.anonymous_id),
      session_id: text(event.session_id),
      duplicate_of: text(event.duplicate_of),
      properties: event.properties ?? {},
      context: event.context ?? {},
    },
  })
}

/** Postgres refuses a text with this character, and a segment that is refused would hold up all behind it. */
const storable = (text: string): string => text.replaceAll('\0', '\\0')

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
