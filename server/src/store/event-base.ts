import type { Condition } from '@assay/contract'
import { eventSource, type ReadOverlays } from './event-source.ts'
import type { QueryParams } from './events.ts'
import type { PeopleSet } from './filters/people-sets.ts'

/** A condition on rows of events, with its parameters. Their names must not be those of others in the statement. */
export type SqlCondition = { sql: string; params: QueryParams }

/** Conditions of the filter language, and what they need to know of the world. */
export type Filters = {
  /** An event has to fit all of them. */
  conditions: readonly Condition[]
  /** Of every audience that is named: a condition on `person_key`. */
  audiences: Readonly<Record<string, SqlCondition>>
  /** When a window such as `7d` began that ends there. */
  windowStart: (window: string, endMs: number) => number
}

/** What a read needs to know of people beyond their events. */
export type PeopleTerms = {
  /** Everyone who has a trait, by the name of the trait. */
  traits: Readonly<Record<string, PeopleSet>>
  /** Rows of `person_key` and `name`: who is in which audience of the site; null where nothing asks for it. */
  memberships: SqlCondition | null
}

/** What of a site's events a read is about. Bots are left out unless asked for; a repeated order never counts. */
/** What an event has to fit to reach a goal, all of it, by the id of the goal. */
export type GoalConditions = Readonly<Record<string, readonly Condition[]>>

export type EventFilter = {
  workspaceId: string
  siteId: string
  includeBots: boolean
  filters?: Filters | undefined
  /** The site's goals; events that reach one are conversions. */
  goals?: GoalConditions | undefined
  /** Of the traits and audiences that the read names. */
  people?: PeopleTerms | undefined
  /** What lies over the site's events. */
  readOverlays: ReadOverlays
}

/** [fromMs, toMs); or two periods read together, which are all of it before and after a border. */
export type TimeRange = { fromMs: number; toMs: number; border?: Border }

/** The first of two periods ends here, the second begins there; nothing between them counts. */
type Border = { endMs: number; startMs: number }

/** What stands behind FROM and behind WHERE, and the parameters of both. */
export type Selection = { from: string; where: string; params: QueryParams }

export const hasSession = "session_key != cityHash64('')"
/** Of two periods, whether an event lies in the second. */
export const isAfterBorder = 'ts >= fromUnixTimestamp64Milli({borderStartMs:Int64})'

/** All events of the site that count, in the time that is asked for. */
export function baseOf(
  { readOverlays, workspaceId, siteId, includeBots }: EventFilter,
  range: TimeRange,
): Selection {
  const { fromMs, toMs, border } = range
  const source = eventSource(readOverlays, { workspaceId, siteId, fromMs, toMs })
  const conditions = [
    'workspace_id = {workspaceId:String}',
    'site_id = {siteId:String}',
    'ts >= fromUnixTimestamp64Milli({fromMs:Int64})',
    'ts < fromUnixTimestamp64Milli({toMs:Int64})',
    'counted = 1',
    ...(includeBots ? [] : ['is_bot = 0']),
    ...(border === undefined || border.endMs === border.startMs ? [] : [outsideGap]),
  ]
  return {
    from: source.from,
    where: conditions.join(' AND '),
    params: {
      workspaceId,
      siteId,
      fromMs,
      toMs,
      ...(border !== undefined && { borderEndMs: border.endMs, borderStartMs: border.startMs }),
      ...source.params,
    },
  }
}

const outsideGap = `(ts < fromUnixTimestamp64Milli({borderEndMs:Int64}) OR ${isAfterBorder})`
