import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { runKillCampaign } from './kill-campaign.ts'
import { isSound, KillLedger, type SentEvent, type StoredEvent } from './kill-ledger.ts'

const scratch = mkdtempSync(join(tmpdir(), 'assay-kills-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const sent = (id: string): SentEvent => ({ id, name: '$search', table: 'events', note: `note of ${id}` })
const stored = (id: string, other: Partial<StoredEvent> = {}): StoredEvent => ({
  event_id: id,
  table: 'events',
  name: '$search',
  content: JSON.stringify({ query: `note of ${id}` }),
  ...other,
})

describe('the ledger', () => {
  function ledgerOf(acknowledged: readonly string[], unanswered: readonly string[] = []): KillLedger {
    const ledger = new KillLedger()
    for (const id of [...acknowledged, ...unanswered]) ledger.send(sent(id))
    for (const id of acknowledged) ledger.acknowledge(id)
    return ledger
  }

  test('is content with every acknowledged event once, and with an unanswered one once or not at all', () => {
    const ledger = ledgerOf(['a', 'b'], ['c', 'd'])
    expect(isSound(ledger.compare([stored('a'), stored('b'), stored('c')]))).toBe(true)
  })

  test('finds what is lost, doubled, torn or was never sent', () => {
    const ledger = ledgerOf(['a', 'b', 'c', 'd', 'e'], ['f'])
    const rows = [
      stored('a'),
      stored('a', { table: 'quarantine' }),
      stored('b', { content: JSON.stringify({ query: 'note of' }) }),
      stored('c', { name: '$login' }),
      stored('d', { table: 'quarantine' }),
      stored('f'),
      stored('f'),
      stored('g'),
    ]
    const findings = ledger.compare(rows)
    expect(findings).toEqual({
      lost: ['e'],
      doubled: ['a', 'f'],
      torn: ['a', 'b', 'c', 'd'],
      unknown: ['g'],
    })
    expect(isSound(findings)).toBe(false)
  })
})

test('a product that is killed under load and during its start has everything acknowledged, once and whole', async () => {
  const { findings, ...result } = await runKillCampaign({
    dataDir: join(scratch, 'data'),
    times: 4,
    minutes: 6,
    seed: 3,
    eventsPerSecond: 300,
    checkEvery: 4,
    print: () => {},
    now: () => Date.now(),
  })
  expect(findings).toEqual({ lost: [], doubled: [], torn: [], unknown: [] })
  expect(result.kills).toBe(4)
  expect(result.killsDuringStart).toBeGreaterThan(0)
  expect(result.acknowledged).toBeGreaterThan(50)
  expect(result.stored).toBeGreaterThanOrEqual(result.acknowledged)
}, 400_000)
