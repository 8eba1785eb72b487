import type { Sql } from '../../store/control.ts'

/** The first node that asks decides the salt of a day. */
export async function saltOfDay(sql: Sql, day: string, proposed: string): Promise<string> {
  await sql.query('INSERT INTO visitor_salts (day, salt) VALUES ($1, $2) ON CONFLICT (day) DO NOTHING', [
    day,
    proposed,
  ])
  const [row] = await sql.query<{ salt: string }>('SELECT salt FROM visitor_salts WHERE day = $1', [day])
  return row?.salt ?? proposed
}

export async function dropSaltsBefore(sql: Sql, day: string): Promise<void> {
  await sql.query('DELETE FROM visitor_salts WHERE day < $1', [day])
}
