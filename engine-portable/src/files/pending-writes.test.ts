import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { startParallelSync } from './parallel-sync.ts'
import { trackPendingWrites } from './pending-writes.ts'

const home = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-pending-'))
const sync = startParallelSync()
afterAll(async () => {
  await sync.stop()
  fs.rmSync(home, { recursive: true })
})

/** What was brought to the disk, and what had its final name by then. */
function recorded(finalName: string) {
  const synced: { inode: number; isRenamed: boolean }[] = []
  const pending = trackPendingWrites({
    ...sync,
    syncAll(items) {
      sync.syncAll(items)
      const isRenamed = fs.existsSync(finalName)
      for (const { descriptor } of items) synced.push({ inode: fs.fstatSync(descriptor).ino, isRenamed })
    },
  })
  return { pending, synced }
}

const inodesBelow = (top: string): number[] =>
  [
    top,
    ...fs.readdirSync(top, { recursive: true, encoding: 'utf8' }).map((name) => path.join(top, name)),
  ].map((place) => fs.statSync(place).ino)

let made = 0

test('all of a part that the threads wrote is on the disk before it has its name', () => {
  const names = fc.uniqueArray(
    fc.constantFrom('data.bin', 'data.cmrk4', 'p.proj/data.bin', 'p.proj/x', 'count.txt'),
  )
  fc.assert(
    fc.property(names, fc.constantFrom('tmp_insert_', 'tmp_merge_', 'tmp_mut_'), (files, prefix) => {
      const table = path.join(home, String(made++))
      const [part, final] = [path.join(table, `${prefix}all_1_1_0`), path.join(table, 'all_1_1_0')]
      fs.mkdirSync(part, { recursive: true })
      for (const name of files) {
        fs.mkdirSync(path.dirname(path.join(part, name)), { recursive: true })
        fs.writeFileSync(path.join(part, name), name)
      }
      const { pending, synced } = recorded(final)
      pending.rename(part, final)
      const before = synced.filter(({ isRenamed }) => !isRenamed).map(({ inode }) => inode)
      expect(new Set(before)).toEqual(new Set(inodesBelow(final)))
      expect(synced.filter(({ isRenamed }) => isRenamed).map(({ inode }) => inode)).toEqual([
        fs.statSync(table).ino,
      ])
    }),
    { numRuns: 30 },
  )
})

test('a note of a mutation is a single file, and what has its final name already is not brought to the disk again', () => {
  const [draft, final] = [path.join(home, 'tmp_mutation_1.txt'), path.join(home, 'mutation_1.txt')]
  fs.writeFileSync(draft, 'commands')
  const { pending, synced } = recorded(final)
  pending.rename(draft, final)
  expect(synced[0]).toEqual({ inode: fs.statSync(final).ino, isRenamed: false })

  const again = recorded(path.join(home, 'moved.txt'))
  again.pending.rename(final, path.join(home, 'moved.txt'))
  expect(again.synced).toEqual([{ inode: fs.statSync(home).ino, isRenamed: true }])
})
