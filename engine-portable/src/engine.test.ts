import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openPortableEngine, type PortableEngine } from './engine.ts'
import { EngineCrash, StatementError } from './worker-client.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-crash-'))
afterAll(() => fs.rmSync(home, { recursive: true }))

const statement = { sql: 'SELECT 1', format: 'TabSeparated', settings: {}, parameters: {} }

const runnerOf = (engine: PortableEngine) => async (sql: string) => {
  const { bytes } = await engine.run({ ...statement, sql })
  return new TextDecoder().decode(bytes)
}

test('a statement that crashes the engine fails alone, and too many of them keep it down for a while', async () => {
  let nowMs = 0
  const notices: string[] = []
  const engine = await openPortableEngine({
    path: home,
    onNotice: (text) => notices.push(text),
    now: () => nowMs,
    restartLimit: { count: 1, windowMs: 1000 },
  })
  const run = runnerOf(engine)
  fs.writeFileSync(path.join(home, 'rows.csv'), '1\n')
  // Mapping a file into memory is what the WebAssembly build cannot do; the setting is forced only outside the SQL.
  const crashing = `SELECT * FROM file('${home}/rows.csv', 'CSV', 'a String') SETTINGS storage_file_read_method = 'mmap'`
  await run('CREATE TABLE stored (a String) ENGINE = MergeTree ORDER BY a')
  await run("INSERT INTO stored VALUES ('safe')")

  // Put into a SET it would be more than a name.
  const misnamed = { ...statement, parameters: { 'a = 1, b': 'x' } }

  const [crashed, refused, unnamed, next] = await Promise.allSettled([
    run(crashing),
    run('SELECT nonsense'),
    engine.run(misnamed),
    run('SELECT a FROM stored'),
  ])
  expect(crashed).toMatchObject({ status: 'rejected', reason: expect.any(EngineCrash) })
  expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(StatementError) })
  expect(String(unnamed.status === 'rejected' && unnamed.reason)).toContain('cannot be the name of a setting')
  expect(next).toEqual({ status: 'fulfilled', value: 'safe\n' })
  expect(notices).toContain(`The events engine is restarted on ${home}`)

  await expect(run(crashing)).rejects.toBeInstanceOf(EngineCrash)
  await expect(run('SELECT 1')).rejects.toThrow('crashed too often and stays down')
  nowMs = 1001
  expect(await run('SELECT a FROM stored')).toBe('safe\n')

  const last = run('SELECT 2')
  await engine.close()
  expect(await last).toBe('2\n')
  await expect(run('SELECT 3')).rejects.toThrow('closed')
}, 300_000)

test('statements and answers are whole while the memory grows', async () => {
  const growing = fs.mkdtempSync(path.join(home, 'growing-'))
  const engine = await openPortableEngine({ path: growing, now: Date.now, onNotice: () => {} })
  const run = runnerOf(engine)
  for (const megabytes of [1, 3, 9, 27, 40]) {
    const long = await run(`SELECT repeat('a', 999999) FROM numbers(${megabytes})`)
    expect(long === `${'a'.repeat(999_999)}\n`.repeat(megabytes)).toBe(true)
    // A statement is a quarter of a megabyte at most.
    expect(await run(`SELECT length('${'x'.repeat(200_000)}')`)).toBe('200000\n')
  }
  await engine.close()
}, 120_000)

test('small inserts are merged with each other, and the large part is not written again', async () => {
  const merging = fs.mkdtempSync(path.join(home, 'merging-'))
  const engine = await openPortableEngine({ path: merging, now: Date.now, onNotice: () => {} })
  const run = runnerOf(engine)
  await run('CREATE TABLE merged (a UInt64, b String) ENGINE = MergeTree ORDER BY a')
  await run('INSERT INTO merged SELECT number, toString(cityHash64(number)) FROM numbers(100000)')
  const parts = () =>
    run("SELECT rows >= 100000, level FROM system.parts WHERE active AND table = 'merged' ORDER BY rows DESC")
  const isMerged = (lines: string) => lines.split('\n').some((line) => Number(line.split('\t')[1]) >= 4)
  for (let insert = 0; insert < 1_000 && !isMerged(await parts()); insert += 1) {
    await run('INSERT INTO merged SELECT number, toString(number) FROM numbers(3)')
  }
  const [large, ...small] = (await parts()).trim().split('\n')
  expect(large).toBe('1\t0')
  expect(isMerged(small.join('\n'))).toBe(true)
  await engine.close()
}, 120_000)

test('an engine whose memory has grown is restarted, and finds everything again', async () => {
  const notices: string[] = []
  const grown = path.join(home, 'grown')
  fs.mkdirSync(grown)
  const engine = await openPortableEngine({
    path: grown,
    onNotice: (text) => notices.push(text),
    now: Date.now,
    restartLimit: { count: 0, windowMs: 1000 },
    // More than it starts with, less than the second statement takes.
    memoryBytesMax: 200 * 1024 ** 2,
  })
  const run = runnerOf(engine)
  await run('CREATE TABLE stored (a String) ENGINE = MergeTree ORDER BY a')
  await run("INSERT INTO stored VALUES ('safe')")
  expect(notices).toEqual([])
  await run(
    'SELECT count() FROM (SELECT number, any(toString(number)) FROM numbers(3000000) GROUP BY number)',
  )
  expect(await run('SELECT a FROM stored')).toBe('safe\n')
  expect(notices).toEqual([`The events engine is restarted on ${grown}, since its memory had grown`])
  const limit = await run("SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'")
  expect(Number(limit)).not.toBeLessThan(2 ** 40)
  await engine.close()
}, 300_000)
