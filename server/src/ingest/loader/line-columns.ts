import { eventColumnList, isInLine, lineMembers } from '../../store/event-columns.ts'
import type { ColumnType } from './blocks/line-block.ts'

/**
 * Columns of a log line, which are also those of the staging table: a segment is loaded unchanged. Members
 * missing from a line take their column's default.
 */
export const lineColumns: readonly ColumnType[] = [
  ...eventColumnList
    .filter(([, column]) => isInLine(column))
    .map(([name, { type, lineType = type }]) => [name, lineType] as const),
  ...Object.entries(lineMembers).map(([name, { type }]) => [name, type] as const),
]
