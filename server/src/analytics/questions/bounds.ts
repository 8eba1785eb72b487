import { Problem } from '@assay/contract'
import type { Clock } from '../../platform/clock.ts'
import type { Events, QueryParams } from '../../store/events.ts'
import { blockRowsFor } from '../../store/filters/filter-bounds.ts'
import type { Run } from './question-store.ts'

/** All statements of a question together. */
const questionSecondsMax = 10
/** Half of what the portable engine can use, so that loads continue. */
const memoryBytesMax = 700_000_000

const narrower =
  'Ask for a shorter period, for fewer or other dimensions, for fewer metrics that count people, or add filters'

/** The errors of the store for statements that take too long or too much memory. */
const timeExceeded = /TIMEOUT_EXCEEDED|Code: 159\b/
const memoryExceeded = /MEMORY_LIMIT_EXCEEDED|Code: 241\b/

/** Runs the statements of one question until its time is over, and refuses it then. */
export function boundedRun(events: Pick<Events, 'query'>, now: Clock, secondsMax = questionSecondsMax): Run {
  const endMs = now() + secondsMax * 1000
  return async (sql, params) => {
    const seconds = Math.ceil((endMs - now()) / 1000)
    if (seconds <= 0) throw tooSlow(secondsMax)
    // Every question is another statement: compiling its expressions takes longer than computing them.
    const settings = `max_execution_time = ${seconds}, max_memory_usage = ${memoryBytesMax}${blockOf(params)},
      compile_expressions = 0, compile_aggregate_expressions = 0, compile_sort_description = 0`
    try {
      return await events.query(`${sql} SETTINGS ${settings}`, params)
    } catch (cause) {
      throw refusalOf(cause, secondsMax)
    }
  }
}

function blockOf(params: QueryParams): string {
  const rows = blockRowsFor(params)
  return rows === null ? '' : `, max_block_size = ${rows}`
}

function refusalOf(cause: unknown, secondsMax: number): unknown {
  const text = cause instanceof Error ? `${'type' in cause ? cause.type : ''} ${cause.message}` : ''
  if (timeExceeded.test(text)) return tooSlow(secondsMax, cause)
  if (!memoryExceeded.test(text)) return cause
  const detail = `The question needs more memory than it may use. ${narrower}.`
  return new Problem('invalid-parameter', {
    detail,
    cause,
    errors: [{ field: 'question', message: narrower }],
  })
}

function tooSlow(secondsMax: number, cause?: unknown): Problem {
  const detail = `The question took more than ${secondsMax} s. ${narrower}.`
  return new Problem('invalid-parameter', {
    detail,
    cause,
    errors: [{ field: 'question', message: narrower }],
  })
}
