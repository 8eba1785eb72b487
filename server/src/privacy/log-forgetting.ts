import type { ForgetMode } from '@assay/contract'
import { isRecord } from '@assay/contract'
import type { EventLog } from '../ingest/log.ts'
import { readLines } from '../ingest/segment.ts'

/** Ids, as born, stand in a line as they are. */
function isOf(line: string, bornIds: readonly string[]): boolean {
  return bornIds.some((bornId) => line.includes(`"person_id":"${bornId}"`))
}

/** Lines of these people that are acknowledged and not loaded yet. */
export async function countLines(log: EventLog, bornIds: readonly string[]): Promise<number> {
  await log.rotate()
  let lines = 0
  for (const segment of log.closed()) {
    try {
      for await (const line of readLines(segment)) if (isOf(line, bornIds)) lines += 1
    } catch (error) {
      // Loaded and taken away in the meantime: its lines are in the store then.
      if (!isGone(error)) throw error
    }
  }
  return lines
}

function isGone(error: unknown): boolean {
  return isRecord(error) && error.code === 'ENOENT'
}

/** Takes these people's lines out of every closed segment, or what leads to them out of the lines. */
export async function forgetLines(
  log: EventLog,
  bornIds: readonly string[],
  mode: ForgetMode,
): Promise<void> {
  await log.rotate()
  const keep = (line: string) => {
    if (!isOf(line, bornIds)) return line
    return mode === 'erase' ? null : withoutPerson(line)
  }
  for (const segment of log.closed()) await log.rewrite(segment, keep)
}

const kept = [
  'workspace_id',
  'site_id',
  'event_id',
  'id_hi',
  'id_lo',
  'order_hi',
  'order_lo',
  'ts',
  'received_at',
  'ts_sent',
  'correction_ms',
  'name',
  'sent_name',
  'mapping_rule',
  'contract_version',
  'outcome',
  'code',
  'door',
  'key_id',
  'surface',
  'sdk',
  'release',
  'host',
  'path',
  'referrer_host',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'channel',
  'source',
  'country',
  'device',
  'browser',
  'os',
  'is_bot',
  'bot_reason',
  'amount',
  'currency',
  'order_id',
  'duplicate_of',
]

/** A held line goes: what was sent stands in it whole. Of the others what was counted stays. */
function withoutPerson(line: string): string | null {
  const row: unknown = JSON.parse(line)
  if (!isRecord(row) || row.held !== undefined || row.state === 'held') return null
  const entries = kept.filter((column) => row[column] !== undefined).map((column) => [column, row[column]])
  return JSON.stringify({ ...Object.fromEntries(entries), resolved_by: 'nobody' })
}
