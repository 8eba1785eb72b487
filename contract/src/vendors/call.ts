import { readKeyKind } from '../credentials.ts'
import { isRecord } from '../gate/raw-event.ts'
import { Problem } from '../problems.ts'

type Members = Readonly<Record<string, unknown>>

/** One item of `/v1/batch`, made from what another tool's client sent. */
export type Call = Record<string, unknown>

/** A request of another tool's client: the decoded body, and the query. */
export type Received = { body: unknown; query: Members; nowMs: number }

/** The same in our own words: the key, wherever that client puts it, and the calls. */
export type Translated = { key: string | null; calls: Call[]; sentAt?: unknown }

/** Ids may be numbers. Whatever is no text is left out; a wrong value of a member that is kept is judged later. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

export const membersOf = (value: unknown): Members => (isRecord(value) ? value : {})

/** As many events as these tools take in one request. */
const clientEventsMax = 2_000

/** Before any of them is translated: a million empty ones fit into a request. */
export function requireFewEvents<Item>(events: readonly Item[]): readonly Item[] {
  if (events.length <= clientEventsMax) return events
  throw new Problem('payload-too-large', {
    detail: `${events.length} events are over the limit of ${clientEventsMax} in one request. Send them in parts.`,
  })
}

/** The events of a request: a list, or one alone. */
export const eventsIn = (value: unknown): Members[] =>
  recordsIn(Array.isArray(value) ? requireFewEvents(value) : value)

/** Those of a list that are records; a single record is a list of one. */
export function recordsIn(value: unknown): Members[] {
  if (Array.isArray(value)) return value.filter(isRecord)
  return isRecord(value) ? [value] : []
}

/** Without members that have no value. */
export function filled(members: Members): Call {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** Members whose names a condition keeps. */
export function kept(members: Members, isKept: (name: string) => boolean): Call {
  return Object.fromEntries(Object.entries(members).filter(([name]) => isKept(name)))
}

/** The first text among these values. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.map(textOf).find((text) => text !== undefined)
}

/** A number, also as text. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined
}

const uuid = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{8,16}$/i

/** Ids of devices are made up by a client, those of people are chosen. */
export const isMadeUp = (id: string) => uuid.test(id)

/** Other names may not begin with this sign here. */
export function ownName(name: unknown, prefix: string): unknown {
  return typeof name === 'string' && name.startsWith('$') ? `${prefix}_${name.slice(1)}` : name
}

/** The first of these values that can be a key of ours, or else the first text: it will be refused. */
export function keyAmong(...values: readonly unknown[]): string | null {
  const texts = values.map(textOf).filter((text) => text !== undefined)
  return texts.find((text) => readKeyKind(text) !== null) ?? texts[0] ?? null
}

/** Where the visitor was, as the other tool found out: by codes or by English names. */
export function locationOf(country: unknown, region: unknown, city: unknown): Call | undefined {
  const code = textOf(country)
  return code === undefined
    ? undefined
    : filled({ country: code, region: textOf(region), city: textOf(city) })
}
