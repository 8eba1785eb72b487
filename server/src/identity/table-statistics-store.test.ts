import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Control } from '../store/control.ts'
import { analyzeGrownTables } from './table-statistics-store.ts'
import { type ControlStore, newWorkspace, openEmbeddedStore } from './testing/control-stores.ts'

let store: ControlStore
let control: Control

beforeAll(async () => {
  store = await openEmbeddedStore()
  const [first] = store.nodes
  if (first === undefined) throw new Error('the store has a node')
  control = first
})
afterAll(() => store?.close())

const people = 60_000
/** Of as many as a turn of claims names. */
const asked = 400

test('in a large workspace some identifiers are found by their ids, once the statistics are up to date', async () => {
  const workspaceId = await newWorkspace(control)
  await control.query(
    `INSERT INTO identifiers (workspace_id, original_id, type, value, first_seen_at, source, person_id)
     SELECT $1, 'per_' || md5(n::text), 'user_id', 'visitor ' || n, now(), 'event', 'per_' || md5(n::text)
     FROM generate_series(1, $2::int) AS n`,
    [workspaceId, people],
  )
  expect(await pagesReadFor(workspaceId)).toBeGreaterThan(people / 100)
  expect(await analyzeGrownTables(control)).toEqual(['identifiers'])
  expect(await pagesReadFor(workspaceId)).toBeLessThan(people / 100)
  expect(await analyzeGrownTables(control)).toEqual([])
  const kept = await control.query('SELECT attname FROM pg_stats WHERE tablename = $1 ORDER BY attname', [
    'identifiers',
  ])
  expect(kept).toEqual(
    ['changed_seq', 'original_id', 'person_id', 'workspace_id'].map((attname) => ({ attname })),
  )
})

type Plan = { 'Shared Hit Blocks': number; 'Shared Read Blocks': number }

/** Of the statement that looks identifiers up. */
async function pagesReadFor(workspaceId: string): Promise<number> {
  const [row] = await control.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON)
     SELECT person_id FROM identifiers WHERE workspace_id = $1 AND original_id = ANY($2)`,
    [workspaceId, Array.from({ length: asked }, (_, at) => `per_${at}`)],
  )
  const plan = row?.['QUERY PLAN'][0]?.Plan
  if (plan === undefined) throw new Error('a statement has a plan')
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks']
}
