import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { EngineCrash, StatementError, startPortableEngine } from './engine.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-breakdown-'))
afterAll(() => fs.rmSync(home, { recursive: true }))

test('a statement that breaks the engine fails alone, and too many of them bring it to rest for a while', async () => {
  let nowMs = 0
  const notices: string[] = []
  const engine = await startPortableEngine(
    { path: home, mounts: [home] },
    { onNotice: (text) => notices.push(text), now: () => nowMs },
    { count: 1, windowMs: 1000 },
  )
  const run = async (sql: string): Promise<string> => {
    const { bytes } = await engine.run({ sql, format: 'TabSeparated', settings: {}, parameters: {} })
    return new TextDecoder().decode(bytes)
  }
  fs.writeFileSync(path.join(home, 'rows.csv'), '1\n')
  // Mapping a file into memory is what the WebAssembly build cannot do; the setting is forced only outside the SQL.
  const breaking = `SELECT * FROM file('${home}/rows.csv', 'CSV', 'a String') SETTINGS storage_file_read_method = 'mmap'`
  await run('CREATE TABLE kept (a String) ENGINE = MergeTree ORDER BY a')
  await run("INSERT INTO kept VALUES ('safe')")

  const [broken, refused, next] = await Promise.allSettled([
    run(breaking),
    run('SELECT nonsense'),
    run('SELECT a FROM kept'),
  ])
  expect(broken).toMatchObject({ status: 'rejected', reason: expect.any(EngineCrash) })
  expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(StatementError) })
  expect(next).toEqual({ status: 'fulfilled', value: 'safe\n' })
  expect(notices).toContain(`The events engine is restarted on ${home}`)

  await expect(run(breaking)).rejects.toBeInstanceOf(EngineCrash)
  await expect(run('SELECT 1')).rejects.toThrow('broke down too often and rests')
  nowMs = 1001
  expect(await run('SELECT a FROM kept')).toBe('safe\n')

  const last = run('SELECT 2')
  await engine.close()
  expect(await last).toBe('2\n')
  await expect(run('SELECT 3')).rejects.toThrow('closed')
}, 300_000)

test('an engine whose memory has grown is started anew, and finds everything again', async () => {
  const notices: string[] = []
  const grown = path.join(home, 'grown')
  fs.mkdirSync(grown)
  const engine = await startPortableEngine(
    { path: grown, mounts: [grown] },
    { onNotice: (text) => notices.push(text), now: Date.now },
    { count: 0, windowMs: 1000 },
    // More than it starts with, less than the second statement takes.
    200 * 1024 ** 2,
  )
  const run = async (sql: string): Promise<string> => {
    const { bytes } = await engine.run({ sql, format: 'TabSeparated', settings: {}, parameters: {} })
    return new TextDecoder().decode(bytes)
  }
  await run('CREATE TABLE kept (a String) ENGINE = MergeTree ORDER BY a')
  await run("INSERT INTO kept VALUES ('safe')")
  expect(notices).toEqual([])
  await run(
    'SELECT count() FROM (SELECT number, any(toString(number)) FROM numbers(3000000) GROUP BY number)',
  )
  expect(await run('SELECT a FROM kept')).toBe('safe\n')
  expect(notices).toEqual([`The events engine is started anew on ${grown}, since its memory had grown`])
  const limit = await run("SELECT value FROM system.server_settings WHERE name = 'max_server_memory_usage'")
  expect(Number(limit)).not.toBeLessThan(2 ** 40)
  await engine.close()
}, 300_000)
