import type { Firing } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import type { AlertFacts } from './facts.ts'

type Shown = Firing['messages'][number]

export type MessageRow = {
  workspace_id: string
  id: string
  alert_id: string
  firing_id: string
  type: Shown['type']
  channel: Shown['channel']
  recipient: string
  facts: AlertFacts
  status: Shown['status']
  attempts: number
  error: string | null
  created_at: Date
  retry_until: Date
  next_at: Date | null
  sent_at: Date | null
}
export type NewMessage = Pick<
  MessageRow,
  'workspace_id' | 'id' | 'alert_id' | 'firing_id' | 'type' | 'channel' | 'recipient' | 'facts'
>

const columns = `workspace_id, id, alert_id, firing_id, type, channel, recipient, facts, status, attempts, error,
  created_at, retry_until, next_at, sent_at`

/** What is there already stays as it is. */
export async function insertMessages(
  sql: Sql,
  rows: readonly NewMessage[],
  { at, until }: { at: Date; until: Date },
): Promise<void> {
  const column = <Name extends keyof NewMessage>(name: Name) => rows.map((row) => row[name])
  await sql.query(
    `INSERT INTO alert_messages (workspace_id, id, alert_id, firing_id, type, channel, recipient, facts, status,
       attempts, created_at, retry_until, next_at)
     SELECT n.workspace_id, n.id, n.alert_id, n.firing_id, n.type, n.channel, n.recipient, n.facts::json, 'pending',
       0, $9, $10, $9
     FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
       AS n (workspace_id, id, alert_id, firing_id, type, channel, recipient, facts)
     ON CONFLICT (workspace_id, firing_id, type, channel, recipient) DO NOTHING`,
    [
      column('workspace_id'),
      column('id'),
      column('alert_id'),
      column('firing_id'),
      column('type'),
      column('channel'),
      column('recipient'),
      rows.map(({ facts }) => JSON.stringify(facts)),
      at,
      until,
    ],
  )
}

/**
 * Due messages; that an alert closed waits until it is known that it opened. They become due again after `until`, in
 * case the worker dies.
 */
export function takeDueMessages(sql: Sql, at: Date, until: Date, most: number): Promise<MessageRow[]> {
  return sql.query<MessageRow>(
    `UPDATE alert_messages SET attempts = attempts + 1, next_at = $2
     WHERE (workspace_id, id) IN (
       SELECT workspace_id, id FROM alert_messages AS m
       WHERE status = 'pending' AND next_at <= $1 AND (type = 'opened' OR NOT EXISTS (
         SELECT 1 FROM alert_messages AS o
         WHERE o.workspace_id = m.workspace_id AND o.firing_id = m.firing_id AND o.type = 'opened'
           AND o.channel = m.channel AND o.recipient = m.recipient AND o.status = 'pending'))
       ORDER BY next_at, id LIMIT $3 FOR UPDATE SKIP LOCKED)
     RETURNING ${columns}`,
    [at, until, most],
  )
}

export async function finishMessage(
  sql: Sql,
  { workspace_id, id }: Pick<MessageRow, 'workspace_id' | 'id'>,
  to: Pick<MessageRow, 'status' | 'error' | 'next_at' | 'sent_at'>,
): Promise<void> {
  await sql.query(
    `UPDATE alert_messages SET status = $3, error = $4, next_at = $5, sent_at = $6
     WHERE workspace_id = $1 AND id = $2`,
    [workspace_id, id, to.status, to.error, to.next_at, to.sent_at],
  )
}

export function selectMessages(
  sql: Sql,
  workspaceId: string,
  firingIds: readonly string[],
): Promise<MessageRow[]> {
  return sql.query<MessageRow>(
    `SELECT ${columns} FROM alert_messages WHERE workspace_id = $1 AND firing_id = ANY($2) ORDER BY id`,
    [workspaceId, firingIds],
  )
}

export async function deleteOldMessages(sql: Sql, before: Date): Promise<void> {
  await sql.query('DELETE FROM alert_messages WHERE created_at < $1', [before])
}
