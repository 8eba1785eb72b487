import { randomBytes } from 'node:crypto'
import type { Sql } from './control.ts'

/** What all nodes of this installation agreed on under this name. */
export async function readAgreed(sql: Sql, name: string): Promise<string | null> {
  const [row] = await sql.query<{ value: string }>('SELECT value FROM installation WHERE name = $1', [name])
  return row?.value ?? null
}

export async function writeAgreed(sql: Sql, name: string, value: string): Promise<void> {
  await sql.query(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    [name, value],
  )
}

/** A secret that all nodes of this installation share. The first node to ask decides the value. */
export async function sharedSecret(sql: Sql, name: string): Promise<string> {
  const proposed = randomBytes(32).toString('hex')
  await sql.query('INSERT INTO installation (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING', [
    name,
    proposed,
  ])
  const [row] = await sql.query<{ value: string }>('SELECT value FROM installation WHERE name = $1', [name])
  return row?.value ?? proposed
}
