import type { ForgetMode } from '@assay/contract'
import { isRecord } from '@assay/contract'
import { eventColumnList, isInLine, lineMembers } from '../../store/event-columns.ts'
import type { EventLog } from './event-log.ts'
import type { KeepLine } from './segment.ts'

const ourId = /per_[0-9a-f]{26}/g

type Line = Readonly<Record<string, unknown>>

/**
 * Whether a line belongs to a person of this workspace. Nearly all lines are excluded by their text alone;
 * properties are part of the line, so a match in the sender's text is checked against the line's own members.
 */
function findTheirs(
  workspaceId: string,
  originalIds: readonly string[],
): (text: string) => Line | 'broken' | null {
  const isTheirs = new Set<unknown>(originalIds)
  return (text) => {
    if (!(text.match(ourId) ?? []).some((id) => isTheirs.has(id))) return null
    const line = parsed(text)
    if (!isRecord(line)) return 'broken'
    return line.workspace_id === workspaceId && isTheirs.has(line.person_id) ? line : null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** Acknowledged lines of these people that are not loaded yet. */
export async function countLines(
  log: Pick<EventLog, 'rotate' | 'unloaded'>,
  workspaceId: string,
  originalIds: readonly string[],
): Promise<number> {
  const find = findTheirs(workspaceId, originalIds)
  await log.rotate()
  let lines = 0
  for await (const line of log.unloaded()) if (find(line) !== null) lines += 1
  return lines
}

/** What is left of a line: nothing of these people, or nothing personal of them; the lines of others as they are. */
export function withoutPeople(
  workspaceId: string,
  originalIds: readonly string[],
  mode: ForgetMode,
): KeepLine {
  const find = findTheirs(workspaceId, originalIds)
  return (text) => {
    const line = find(text)
    if (line === null) return text
    // A line that is not JSON can never be loaded, and it names the person.
    return mode === 'erase' || line === 'broken' ? null : withoutPerson(line)
  }
}

/** Columns that the store keeps too, and those that the loader needs to load and count the line once. */
const kept: readonly string[] = [
  ...eventColumnList.flatMap(([name, column]) =>
    isInLine(column) && column.anonymised === 'kept' ? [name] : [],
  ),
  ...Object.entries(lineMembers).flatMap(([name, { isKept }]) => (isKept ? [name] : [])),
]

/** A quarantined line is removed: it contains the whole event. Of the others the counted columns stay. */
function withoutPerson(row: Line): string | null {
  if (row.held !== undefined || row.state === 'held') return null
  const entries = kept.filter((column) => row[column] !== undefined).map((column) => [column, row[column]])
  return JSON.stringify({ ...Object.fromEntries(entries), resolved_by: 'nobody' })
}
