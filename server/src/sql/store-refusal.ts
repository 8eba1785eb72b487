import { sqlLimits } from '@assay/contract'
import { refused } from './refusal.ts'
import { allowedFunction } from './statement/functions.ts'

const narrower = 'Ask for a shorter period, group by less, or join smaller parts'

/**
 * What the store says of a query names its own tables and quotes values of rows, so that none of it is passed on but
 * names that are known here.
 */
const meanings: Readonly<Record<string, string>> = {
  TIMEOUT_EXCEEDED: `It took more than ${sqlLimits.secondsMax} s. ${narrower}`,
  TOO_SLOW: `It would take more than ${sqlLimits.secondsMax} s. ${narrower}`,
  MEMORY_LIMIT_EXCEEDED: `It needs more memory than it may use. ${narrower}`,
  TOO_MANY_ROWS: `It reads more than ${sqlLimits.readRowsMax.toLocaleString('en')} rows. ${narrower}`,
  TOO_MANY_ROWS_OR_BYTES: 'Its answer is too large. Select fewer columns, or shorter texts',
  SET_SIZE_LIMIT_EXCEEDED: `A list behind IN is too long. ${narrower}`,
  UNKNOWN_IDENTIFIER: 'A column is not known where it is used',
  AMBIGUOUS_IDENTIFIER: 'A column is in several tables. Write the table before it',
  NOT_AN_AGGREGATE: 'A column is neither in GROUP BY nor within an aggregate',
  ILLEGAL_AGGREGATION: 'An aggregate stands within another or in WHERE. Use HAVING or a subquery',
  ILLEGAL_TYPE_OF_ARGUMENT: 'An argument has a type that cannot be used there',
  ILLEGAL_COLUMN: 'An argument has a value that cannot be used there',
  NUMBER_OF_ARGUMENTS_DOESNT_MATCH: 'The number of arguments is wrong',
  TOO_MANY_ARGUMENTS_FOR_FUNCTION: 'The number of arguments is wrong',
  TOO_FEW_ARGUMENTS_FOR_FUNCTION: 'The number of arguments is wrong',
  NO_COMMON_TYPE:
    'Values of different types stand where one type is needed. Convert them with toString or toFloat64',
  TYPE_MISMATCH: 'Values of different types are compared. Convert them with toString or toFloat64',
  CANNOT_CONVERT_TYPE: 'A value cannot be converted to this type',
  CANNOT_PARSE_TEXT: 'A text cannot be read as this type. Functions that end in OrNull give NULL instead',
  CANNOT_PARSE_NUMBER: 'A text cannot be read as a number. toFloat64OrNull gives NULL instead',
  CANNOT_PARSE_DATETIME: 'A text cannot be read as a time. parseDateTimeBestEffortOrNull gives NULL instead',
  CANNOT_PARSE_DATE: 'A text cannot be read as a date. toDateOrNull gives NULL instead',
  ATTEMPT_TO_READ_AFTER_EOF:
    'A text cannot be read as this type. Functions that end in OrNull give NULL instead',
  ARGUMENT_OUT_OF_BOUND: 'An argument is out of its range',
  ILLEGAL_DIVISION: 'Something is divided by zero. Use nullIf(x, 0)',
  DECIMAL_OVERFLOW: 'A decimal is too large. Convert with toFloat64',
  MULTIPLE_EXPRESSIONS_FOR_ALIAS: 'Two expressions have the same name',
  CYCLIC_ALIASES: 'A name stands within its own meaning',
  UNION_ALL_RESULT_STRUCTURES_MISMATCH: 'The parts of a union have different columns',
  NUMBER_OF_COLUMNS_DOESNT_MATCH: 'The number of columns differs',
  CANNOT_COMPILE_REGEXP: 'A pattern cannot be read',
  INVALID_JOIN_ON_EXPRESSION: 'A join needs ON with = between columns of both tables',
  INCORRECT_RESULT_OF_SCALAR_SUBQUERY: 'A subquery in the place of a value gives several rows. Add LIMIT 1',
  TOO_DEEP_RECURSION: 'It is too deep',
}

/** Of a store in trouble: the same would be answered to any other query. */
const troubles: ReadonlySet<string> = new Set([
  'NETWORK_ERROR',
  'SOCKET_TIMEOUT',
  'TOO_MANY_SIMULTANEOUS_QUERIES',
  'ABORTED',
  'QUERY_WAS_CANCELLED',
  'TABLE_IS_READ_ONLY',
  'KEEPER_EXCEPTION',
  'ALL_CONNECTION_TRIES_FAILED',
  'NOT_ENOUGH_SPACE',
  'CANNOT_OPEN_FILE',
  'CHECKSUM_DOESNT_MATCH',
  'CORRUPTED_DATA',
])

/** Why a statement was not answered; the error itself where the store is in trouble. */
export function storeRefusal(cause: unknown, defined: ReadonlySet<string>): unknown {
  if (!(cause instanceof Error) || !('type' in cause) || typeof cause.type !== 'string') return cause
  const { type, message } = cause
  if (troubles.has(type)) return cause
  const meaning = meanings[type] ?? `The store refuses it (${/^[A-Z_]+$/.test(type) ? type : 'unknown'})`
  return refused(`${meaning}${subjectOf(type, message, defined)}`, undefined, cause)
}

function subjectOf(type: string, message: string, defined: ReadonlySet<string>): string {
  if (type === 'UNKNOWN_IDENTIFIER' || type === 'NOT_AN_AGGREGATE' || type === 'AMBIGUOUS_IDENTIFIER') {
    const named = /(?:identifier|[Cc]olumn) [`'"]?(?:assay_\d+\.|__table\d+\.)?([A-Za-z_]\w*)/.exec(
      message,
    )?.[1]
    return named === undefined || !defined.has(named) ? '' : `: ${named}`
  }
  const called = /[Ff]unction [`'"]?([A-Za-z]\w*)/.exec(message)?.[1]
  const allowed = called === undefined ? null : allowedFunction(called)
  return allowed === null ? '' : ` (function ${allowed.name})`
}
