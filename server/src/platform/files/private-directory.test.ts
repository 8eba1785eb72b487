import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { startChild } from '../../testing/child-product.ts'
import { closeDirectory, privateUmask } from './private-directory.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-private-'))
  directories.push(directory)
  return directory
}

/** Everything in a directory that others may read or write, itself included. */
function openPaths(directory: string): string[] {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  const paths = [directory, ...names.map((name) => join(directory, name))]
  return paths.filter((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink()) return false
    return (found.mode & (isOfNativeEngine(directory, path) ? 0o007 : privateUmask)) !== 0
  })
}

/** It sets a mask of its own, which leaves its files to the group; the directory around them is closed. */
function isOfNativeEngine(directory: string, path: string): boolean {
  return path.startsWith(join(directory, 'events', '/')) && process.arch === 'x64'
}

test('a start leaves nothing in the data directory that another user of the machine can read', async () => {
  const dataDir = join(temporaryDirectory(), 'data')
  const first = await startChild({ ASSAY_DATA_DIR: dataDir })
  expect(openPaths(dataDir)).toEqual([])
  await first.kill()
  // As an earlier version left it, or a copy that was put there by hand.
  chmodSync(dataDir, 0o755)
  chmodSync(join(dataDir, 'control'), 0o777)
  chmodSync(join(dataDir, 'control', 'PG_VERSION'), 0o666)
  const second = await startChild({ ASSAY_DATA_DIR: dataDir })
  expect(openPaths(dataDir)).toEqual([])
  await second.kill()
}, 300_000)

test('links are left alone, and what they lead to is not touched', () => {
  const outside = temporaryDirectory()
  const inside = temporaryDirectory()
  writeFileSync(join(outside, 'theirs'), '')
  chmodSync(join(outside, 'theirs'), 0o644)
  symlinkSync(join(outside, 'theirs'), join(inside, 'link'))
  mkdirSync(join(inside, 'deep'))
  writeFileSync(join(inside, 'deep', 'ours'), '')
  chmodSync(join(inside, 'deep', 'ours'), 0o666)
  closeDirectory(inside)
  expect(openPaths(inside)).toEqual([])
  expect(lstatSync(join(outside, 'theirs')).mode & 0o777).toBe(0o644)
})

test('a directory that cannot be closed is refused, with what to do', () => {
  // No process can change the mode of this one.
  expect(() => closeDirectory('/proc/self')).toThrow('ASSAY_DATA_DIR')
})
