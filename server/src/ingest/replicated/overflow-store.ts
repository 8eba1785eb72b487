import type { Sql } from '../../store/control.ts'

export async function insertOverflow(sql: Sql, id: string, letter: Uint8Array): Promise<void> {
  await sql.query('INSERT INTO dead_letter_overflow (id, letter) VALUES ($1, $2) ON CONFLICT DO NOTHING', [
    id,
    letter,
  ])
}

export function selectOverflow(sql: Sql): Promise<{ letter: Uint8Array }[]> {
  return sql.query<{ letter: Uint8Array }>('SELECT letter FROM dead_letter_overflow ORDER BY id')
}

export async function measureOverflow(sql: Sql): Promise<{ letters: number; bytes: number }> {
  const [row] = await sql.query<{ letters: string | number; bytes: string | number }>(
    'SELECT count(*) AS letters, coalesce(sum(length(letter)), 0) AS bytes FROM dead_letter_overflow',
  )
  return { letters: Number(row?.letters ?? 0), bytes: Number(row?.bytes ?? 0) }
}

export async function deleteOverflow(sql: Sql, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await sql.query('DELETE FROM dead_letter_overflow WHERE id = ANY($1)', [ids])
}
