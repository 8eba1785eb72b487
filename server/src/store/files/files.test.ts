import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, makeDatabase } from '../../testing/harness.ts'
import { type Control, openControl } from '../control.ts'
import { localFiles } from './local-files.ts'
import { sharedFiles } from './shared-files.ts'
import { pieceBytes, type StoredFiles, streamFile } from './stored-files.ts'

const directory = mkdtempSync(join(tmpdir(), 'assay-files-'))
let database: Database
let control: Control
const by = { workspaceId: 'ws_1', isDurable: true }

beforeAll(async () => {
  database = await makeDatabase()
  control = await openControl({ dataDir: '', url: database.url })
  await control.query("INSERT INTO workspaces (id, name, created_at) VALUES ('ws_1', 'One', now())")
}, 120_000)
afterAll(async () => {
  await control?.close()
  await database?.drop()
  rmSync(directory, { recursive: true, force: true })
})

async function wholeOf(files: StoredFiles, path: string): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of streamFile(files, path)) pieces.push(piece)
  return Buffer.concat(pieces)
}

const kinds: { kind: string; open: () => StoredFiles }[] = [
  { kind: 'of one process', open: () => localFiles(directory) },
  { kind: 'of several nodes', open: () => sharedFiles(control) },
]

describe.each(kinds)('files $kind', ({ open }) => {
  test('hold what was written to them, from the offset of the last write on', async () => {
    const write = fc.record({ part: fc.double({ min: 0, max: 1, noNaN: true }), bytes: fc.uint8Array() })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 6 }), async (writes) => {
        const files = open()
        const path = `exports/run_${runs++}.zip`
        let expected = Buffer.alloc(0)
        for (const { part, bytes } of writes) {
          const offset = Math.floor(part * expected.length)
          await files.write(path, offset, Buffer.from(bytes), by)
          expected = Buffer.concat([expected.subarray(0, offset), bytes])
        }
        expect(await files.size(path)).toBe(expected.length)
        expect(await wholeOf(files, path)).toEqual(expected)
        const from = Math.floor(expected.length / 3)
        expect(await files.read(path, from, 5)).toEqual(expected.subarray(from, from + 5))
      }),
      { numRuns: 25 },
    )
  })

  test('are written in chunks, renamed, listed and removed with their folder', async () => {
    const files = open()
    const large = Buffer.alloc(2 * pieceBytes + 3, 'abc')
    await files.write('exports/a/one.part', 0, large, by)
    await files.write('exports/a/one.zip', 0, Buffer.from('old'), by)
    await files.rename('exports/a/one.part', 'exports/a/one.zip')
    expect(await wholeOf(files, 'exports/a/one.zip')).toEqual(large)
    expect((await files.list('exports/a')).map(({ name }) => name)).toEqual(['one.zip'])
    expect((await files.list('exports')).map(({ name }) => name)).toContain('a')
    await expect(files.write('exports/a/one.zip', large.length + 1, large, by)).rejects.toThrow('reach')
    await files.remove('exports/a')
    expect([await files.size('exports/a/one.zip'), await files.list('exports/a')]).toEqual([null, []])
    expect(await files.read('exports/a/one.zip', 0, 9)).toEqual(Buffer.alloc(0))
  })
})

test('files of several nodes go with their workspace', async () => {
  await control.query("INSERT INTO workspaces (id, name, created_at) VALUES ('ws_2', 'Two', now())")
  await sharedFiles(control).write('exports/two.zip', 0, Buffer.from('two'), { ...by, workspaceId: 'ws_2' })
  await control.query("DELETE FROM workspaces WHERE id = 'ws_2'")
  expect(await sharedFiles(control).size('exports/two.zip')).toBeNull()
})
