import { alertLimits, type Firing, type Notice } from '@assay/contract'
import type { NewId } from '../platform/clock.ts'
import type { SendNotice } from '../platform/notices.ts'
import { hourMs } from '../platform/units.ts'
import type { Sql } from '../store/control.ts'
import { closeFiring, type FiringRow, insertFiring } from './firing-store.ts'
import type { AlertFacts } from './messages/facts.ts'
import { insertMessages, type MessageRow, type NewMessage } from './messages/message-store.ts'
import type { AlertRow } from './store.ts'

type FiringWorld = { sendNotice: SendNotice; newId: NewId }

/** The firing, its messages and its notice exist if and only if the transaction commits. */
export async function openFiring(
  world: FiringWorld,
  sql: Sql,
  alert: AlertRow,
  facts: AlertFacts,
  at: Date,
): Promise<void> {
  const { workspace_id, id: alert_id } = alert
  const { startMs, value, low, high } = facts
  const opened = { interval_start: new Date(startMs), value, low, high, opened_at: at }
  const row = { workspace_id, id: world.newId('fir'), alert_id, ...opened }
  // Only an imported one can be open here.
  await closeFiring(sql, alert, { at, by: 'changed', value: null })
  const firing = await insertFiring(sql, row, alertLimits.firingsMax)
  await writeMessages(world, sql, alert, firing, facts, at)
  await sendFiringNotice(world, sql, alert, {
    type: 'alert.opened',
    subject: firing.id,
    data: openedData(alert, firing),
  })
}

/** Closes the open one because the value is back, and says so to all who heard that it opened. */
export async function recoverFiring(
  world: FiringWorld,
  sql: Sql,
  alert: AlertRow,
  facts: AlertFacts,
  at: Date,
): Promise<void> {
  const firing = await closeFiringWith(world, sql, alert, { at, by: 'recovered', value: facts.value })
  if (firing !== null) await writeMessages(world, sql, alert, firing, facts, at)
}

/** Closes the open one, if any, with a notice and without messages. */
export async function closeFiringWith(
  world: Pick<FiringWorld, 'sendNotice'>,
  sql: Sql,
  alert: AlertRow,
  closing: { at: Date; by: NonNullable<Firing['closedBy']>; value: number | null },
): Promise<FiringRow | null> {
  const firing = await closeFiring(sql, alert, closing)
  if (firing === null) return null
  const data = {
    ...openedData(alert, firing),
    closed_value: closing.value,
    closed_by: closing.by,
    closed_at: closing.at.toISOString(),
  }
  await sendFiringNotice(world, sql, alert, { type: 'alert.closed', subject: firing.id, data })
  return firing
}

async function sendFiringNotice(
  { sendNotice }: Pick<FiringWorld, 'sendNotice'>,
  sql: Sql,
  { workspace_id, has_notice }: AlertRow,
  notice: Notice,
): Promise<void> {
  if (has_notice) await sendNotice(workspace_id, notice, sql)
}

function openedData(alert: AlertRow, firing: FiringRow) {
  return {
    id: firing.id,
    alert_id: alert.id,
    site_id: alert.site_id,
    name: alert.name,
    interval_start: firing.interval_start.toISOString(),
    value: firing.value,
    low: firing.low,
    high: firing.high,
    opened_at: firing.opened_at.toISOString(),
  }
}

async function writeMessages(
  { newId }: Pick<FiringWorld, 'newId'>,
  sql: Sql,
  { workspace_id, id: alert_id, recipients, slack_url }: AlertRow,
  { id: firing_id }: FiringRow,
  facts: AlertFacts,
  at: Date,
): Promise<void> {
  const to = (channel: NewMessage['channel'], recipient: string): NewMessage => {
    const whose = { workspace_id, alert_id, firing_id }
    return { ...whose, id: newId('msg'), type: facts.type, channel, recipient, facts }
  }
  const rows = recipients.map((email) => to('mail', email))
  if (slack_url !== '') rows.push(to('slack', ''))
  const until = new Date(at.getTime() + alertLimits.retryHours * hourMs)
  if (rows.length > 0) await insertMessages(sql, rows, { at, until })
}

export function toFiring(row: FiringRow, messages: readonly MessageRow[]): Firing {
  return {
    id: row.id,
    openedAt: row.opened_at.toISOString(),
    closedAt: row.closed_at?.toISOString() ?? null,
    closedBy: row.closed_by,
    intervalStart: row.interval_start.toISOString(),
    value: row.value,
    low: row.low,
    high: row.high,
    closedValue: row.closed_value,
    messages: messages
      .filter(({ firing_id }) => firing_id === row.id)
      .map(({ type, channel, recipient, status, attempts, error, sent_at }) => ({
        type,
        channel,
        recipient,
        status,
        attempts,
        error,
        sentAt: sent_at?.toISOString() ?? null,
      })),
  }
}
