import { isRecord } from '../../gate/raw-event.ts'
import { siteIdCharactersMax } from '../../maxima.ts'
import { printedText } from '../../printed-text.ts'
import type { FieldError } from '../../problems.ts'
import { newFilterBudget } from '../filters/filter-budget.ts'
import { readFilterList } from '../filters/filter-reader.ts'
import { isName, type Refuse, requireMembers, wrongMembers } from '../filters/member-checks.ts'
import { questionMembers } from '../question.ts'
import { groupsDefault, groupsMax } from '../question-limits.ts'
import { readDimensions } from './dimension-reader.ts'
import { readMetrics } from './metric-reader.ts'
import { readOrder } from './order-reader.ts'
import { readCompare, readPeriodMembers, readRolling } from './period-reader.ts'
import type { ReadQuestion } from './read-question.ts'
import { readFlag, readOptionalText, readWhole } from './value-reader.ts'

/** Reads any JSON. Says all that is wrong at once, each with its place and with what is known there. */
export function readQuestion(value: unknown): ReadQuestion {
  const errors: FieldError[] = []
  const question = questionOf(value, (field, message) => errors.push({ field, message }))
  if (errors.length > 0) throw wrongMembers(errors)
  return question
}

function questionOf(value: unknown, refuse: Refuse): ReadQuestion {
  const given = isRecord(value) ? value : {}
  if (!isRecord(value)) refuse('question', 'must be a JSON object')
  requireMembers(given, questionMembers, '', refuse)
  const budget = newFilterBudget()
  const metrics = readMetrics(given.metrics, refuse, budget)
  const dimensions = readDimensions(given.dimensions ?? [], refuse, budget)
  const hasTime = dimensions.some(({ kind }) => kind === 'time')
  if (!isName(given.siteId, siteIdCharactersMax)) refuse('siteId', 'must be the id of a site')
  return {
    siteId: printedText(given.siteId),
    period: readPeriodMembers(given, '', refuse),
    timezone: readOptionalText(given.timezone, 'timezone', 64, refuse),
    compare: readCompare(given.compare, refuse),
    metrics,
    dimensions,
    filters: readFilterList(given.filters ?? [], 'filters', refuse, budget),
    orderBy: readOrder(given.orderBy ?? [], metrics, dimensions, refuse),
    limit: readWhole(given.limit, 'limit', groupsMax, refuse) ?? groupsDefault,
    hasOther: readFlag(given.other, 'other', refuse),
    rolling: readRolling(given, hasTime, metrics, refuse),
    includeBots: readFlag(given.includeBots, 'includeBots', refuse),
  }
}
