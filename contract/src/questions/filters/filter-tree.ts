import { isRecord } from '../../gate/raw-event.ts'
import { eventNameCharactersMax, readDaysMax } from '../../maxima.ts'
import { printedText } from '../../printed-text.ts'
import { isWindow, readComparison, readCount } from './comparison.ts'
import type { Condition } from './condition.ts'
import type { Reader } from './filter-budget.ts'
import {
  didConditionsMax,
  filterAudiencesMax,
  filterConditionsMax,
  filterDepthMax,
  filterGoalsMax,
  filterItemsMax,
} from './filters.ts'
import { isName, type Refuse, requireMembers } from './member-checks.ts'

export function readList(value: unknown, at: string, depth: number, reader: Reader): Condition[] {
  if (!Array.isArray(value)) {
    reader.refuse(at, 'must be a list of filters')
    return []
  }
  if (value.length > filterItemsMax) {
    reader.refuse(at, `may have ${filterItemsMax} items at most`)
    return []
  }
  return value.flatMap((item, index) => {
    const condition = readFilter(item, `${at}[${index}]`, depth, reader)
    return condition === null ? [] : [condition]
  })
}

function readFilter(value: unknown, at: string, depth: number, reader: Reader): Condition | null {
  const { refuse } = reader
  if (!Array.isArray(value) || value.length < 2 || value.length > 3) {
    refuse(at, 'must be a filter: ["is", "country", ["DE"]]')
    return null
  }
  if (depth > filterDepthMax) {
    refuse(at, `is nested too deep: ${filterDepthMax} levels at most`)
    return null
  }
  const [word, first, second] = value
  if (word === 'and' || word === 'or') {
    const of = readList(first, `${at}[1]`, depth + 1, reader)
    if (Array.isArray(first) && first.length === 0) refuse(`${at}[1]`, 'must have a filter')
    return requirePair(value, at, refuse) ? { kind: word, of } : null
  }
  if (word === 'not') {
    const of = readFilter(first, `${at}[1]`, depth + 1, reader)
    return requirePair(value, at, refuse) && of !== null ? { kind: 'not', of } : null
  }
  if (!takeCondition(at, reader)) return null
  if (word === 'did' || word === 'didNot') {
    const did = requirePair(value, at, refuse) ? readDid(first, `${at}[1]`, depth, reader) : null
    return did === null || word === 'did' ? did : { kind: 'not', of: did }
  }
  if (word === 'inAudience') return requirePair(value, at, refuse) ? readAudiences(first, at, reader) : null
  if (word === 'reached') return requirePair(value, at, refuse) ? readGoals(first, at, reader) : null
  return readComparison(word, first, second, value.length, at, reader)
}

function requirePair(value: readonly unknown[], at: string, refuse: Refuse): boolean {
  if (value.length !== 2) refuse(at, 'must have two items')
  return value.length === 2
}

function takeCondition(at: string, { budget, refuse }: Reader): boolean {
  budget.conditions += 1
  if (budget.conditions <= filterConditionsMax) return true
  // Once is enough: the rest of a thousand conditions says nothing new.
  if (budget.conditions === filterConditionsMax + 1) {
    refuse(at, `is one too many: ${filterConditionsMax} conditions at most`)
  }
  return false
}

function readDid(value: unknown, at: string, depth: number, reader: Reader): Condition | null {
  const { refuse, budget, isOfEvents } = reader
  if (isOfEvents) {
    refuse(at, 'asks about people, where only single events can be asked about')
    return null
  }
  budget.dids += 1
  if (budget.dids > didConditionsMax) {
    refuse(at, `is one too many: ${didConditionsMax} of did and didNot at most`)
    return null
  }
  if (!isRecord(value)) {
    refuse(at, 'must be an object: {"event": "$signup", "within": "7d"}')
    return null
  }
  requireMembers(value, ['event', 'count', 'within', 'where'], at, refuse)
  const { event, count, within, where } = value
  if (!isName(event, eventNameCharactersMax)) refuse(`${at}.event`, 'must be the name of an event')
  if (within !== undefined && !isWindow(within)) {
    refuse(`${at}.within`, `must be days or hours such as 7d or 24h, ${readDaysMax}d at most`)
  }
  return {
    kind: 'did',
    event: printedText(event),
    count: readCount(count, `${at}.count`, refuse),
    within: within === undefined ? null : printedText(within),
    where:
      where === undefined ? [] : readList(where, `${at}.where`, depth + 1, { ...reader, isOfEvents: true }),
  }
}

function readAudiences(value: unknown, at: string, { refuse, isOfEvents }: Reader): Condition | null {
  if (isOfEvents) refuse(at, 'asks about people, where only single events can be asked about')
  const isList = Array.isArray(value) && value.length > 0 && value.length <= filterAudiencesMax
  if (!isList || !value.every((one) => isName(one, 64))) {
    refuse(`${at}[1]`, `must be a list of 1 to ${filterAudiencesMax} ids of audiences`)
    return null
  }
  return { kind: 'inAudience', audiences: value.map(String) }
}

function readGoals(value: unknown, at: string, { refuse }: Reader): Condition | null {
  const isList = Array.isArray(value) && value.length > 0 && value.length <= filterGoalsMax
  if (!isList || !value.every((one) => isName(one, 64))) {
    refuse(`${at}[1]`, `must be a list of 1 to ${filterGoalsMax} ids of goals`)
    return null
  }
  return { kind: 'reached', goals: value.map(String) }
}
