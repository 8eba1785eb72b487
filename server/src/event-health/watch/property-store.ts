import { dayMs } from '../../platform/units.ts'
import type { Count, Events } from '../../store/events.ts'
import type { HealthScope } from '../stores/measures.ts'

export type ProfileRow = {
  site_id: string
  name: string
  /** 0: now, 1: the week before, 2: the week before that. */
  part: number
  /** Empty: the row of the event itself, where `present` counts the events that were looked at. */
  property: string
  present: Count
  types: Record<string, Count>
  values: [hash: string, count: Count][]
  /** How many different values there were. */
  distinct: Count
  quartiles: number[]
  numbers: Count
}

/** Which events are looked at: all of a busy site would be too many. */
export type ProfileSample = {
  toMs: number
  /** Starts of whole hours, in seconds. */
  hours: readonly number[]
  /** Site and name, and of how many such events one is taken: of now, of the week before, of the one before that. */
  series: readonly string[]
  everyNow: readonly number[]
  everyNewer: readonly number[]
  everyOlder: readonly number[]
}

export const profileDays = { now: 1, newer: 8, older: 15 } as const

/**
 * Properties of a sample of the stored events of the last day and of the two weeks before. Values leave the
 * store as hashes, and only for properties with few values: what is stored or reported of them identifies no
 * one.
 */
export function selectProfiles(
  events: Events,
  scope: HealthScope,
  sample: ProfileSample,
  choicesMost: number,
): Promise<ProfileRow[]> {
  const { toMs } = sample
  const fromMs = toMs - profileDays.older * dayMs
  const since = (days: number) => `ts >= fromUnixTimestamp64Milli({toMs:Int64} - ${days * dayMs}, 'UTC')`
  const every = (list: string) => `transform(series, {series:Array(String)}, {${list}:Array(UInt64)}, 1)`
  return events.query<ProfileRow>(
    `SELECT site_id, name, part, property, sum(times) AS present, sumMap(map(kind, times)) AS types,
            if(property != '' AND count() <= {choicesMost:UInt32}, groupArray((toString(value), times)), []) AS values,
            count() AS distinct,
            quantilesExactWeightedIf(0.25, 0.5, 0.75)(number, times, kind = 'number') AS quartiles,
            sumIf(times, kind = 'number') AS numbers
     FROM (
       SELECT site_id, name, part, pair.1 AS property,
              multiIf(pair.1 = '', '', startsWith(pair.2, '"'), 'string', startsWith(pair.2, '{'), 'object',
                      startsWith(pair.2, '['), 'array', pair.2 IN ('true', 'false'), 'boolean', pair.2 = 'null', 'null',
                      'number') AS kind,
              if(kind = 'number', toFloat64OrZero(pair.2), 0) AS number, cityHash64(pair.2) AS value, count() AS times
       FROM (
         SELECT site_id, toString(name) AS name, concat(site_id, ' ', name) AS series, properties,
                multiIf(${since(profileDays.now)}, 0, ${since(profileDays.newer)}, 1, 2) AS part
         FROM events
         WHERE workspace_id = {workspaceId:String} AND site_id IN {siteIds:Array(String)}
           AND ts >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')
           AND ts < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')
           AND toUnixTimestamp(toStartOfHour(ts)) IN {hours:Array(UInt32)} AND is_bot = 0
           AND event_key % multiIf(part = 0, ${every('everyNow')}, part = 1, ${every('everyNewer')},
                                   ${every('everyOlder')}) = 0
       )
       ARRAY JOIN arrayConcat([('', '')], JSONExtractKeysAndValuesRaw(if(properties = '', '{}', properties))) AS pair
       GROUP BY site_id, name, part, property, kind, number, value
     )
     GROUP BY site_id, name, part, property`,
    { ...scope, ...sample, fromMs, choicesMost },
  )
}
