import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { eventColumnList, isInLine, lineMembers } from '../../store/event-columns.ts'
import { countLines } from './personal-lines.ts'
import { readLines } from './segment.ts'
import { openLog } from './write-ahead-log.ts'

const root = await mkdtemp(join(tmpdir(), 'assay-personal-lines-'))
afterAll(() => rm(root, { recursive: true }))

const workspaceId = 'ws_1'
const personId = `per_${'a'.repeat(26)}`
const members = [
  ...eventColumnList.filter(([, column]) => isInLine(column)).map(([name]) => name),
  ...Object.keys(lineMembers),
]

/** A line with every member but those of a quarantined event, each with a value that says which it is. */
const whole: Record<string, unknown> = {
  ...Object.fromEntries(members.map((member) => [member, `of ${member}`])),
  workspace_id: workspaceId,
  person_id: personId,
  state: 'released',
  held: undefined,
}

async function anonymised(lines: readonly object[]): Promise<Record<string, unknown>[]> {
  const dir = await mkdtemp(join(root, 'log-'))
  const log = await openLog({
    ...{ dir, segmentBytesMax: 1e9, segmentAgeMsMax: 1e9, totalBytesMax: 1e9, now: () => 1_000 },
  })
  await log.append(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), lines.length)
  await log.forget(workspaceId, [personId], 'anonymise')
  expect(await countLines(log, workspaceId, [personId])).toBe(0)
  const left: Record<string, unknown>[] = []
  for (const segment of log.closed()) for await (const text of readLines(segment)) left.push(JSON.parse(text))
  await log.close()
  return left
}

test('an anonymised line keeps what the store keeps as it is, and nothing that may name a person', async () => {
  const [line = {}] = await anonymised([whole])
  for (const [name, column] of eventColumnList) {
    if (!isInLine(column) || name === 'resolved_by') continue
    expect(line[name], name).toBe(column.anonymised === 'kept' ? whole[name] : undefined)
  }
  expect(line.resolved_by).toBe('nobody')
  // A page may be a person's own.
  for (const member of ['path', 'url', 'title', 'properties', 'patch', 'decided_by'])
    expect(line).not.toHaveProperty(member)
})

test('an anonymised line still says who sent it, in which order, and what the loader counts it once by', async () => {
  const [line = {}] = await anonymised([whole])
  const marks = [
    'is_public',
    'arrival',
    'is_contested',
    'letter',
    'is_stored',
    'id_hi',
    'id_lo',
    'order_hi',
    'state',
  ]
  for (const mark of marks) expect(line[mark], mark).toBe(whole[mark])
})

test('lines of others stay as they are, and a quarantined line of the person goes', async () => {
  const others = { ...whole, person_id: `per_${'b'.repeat(26)}`, properties: { friend: personId } }
  const elsewhere = { ...whole, workspace_id: 'ws_2' }
  const left = await anonymised([others, { ...whole, held: '{}' }, elsewhere])
  expect(left).toEqual([others, elsewhere].map((line) => JSON.parse(JSON.stringify(line))))
})
