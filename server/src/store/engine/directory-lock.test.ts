import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { DirectoryLocked, lockDirectory, startByPs } from './directory-lock.ts'

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-lock-'))
afterAll(() => fs.rmSync(root, { recursive: true }))

let directories = 0
function freshDirectory(): string {
  directories += 1
  return path.join(root, String(directories))
}
const lockOf = (directory: string): string => path.join(directory, 'engine.lock')
// Short enough that a holder which cannot be looked up is judged within the test.
const times = { beatMs: 20, staleMs: 200, dyingMs: 200 }

test('a directory is locked once, and free again after its release', async () => {
  const directory = freshDirectory()
  const unlock = await lockDirectory(directory)
  const refusal = await lockDirectory(directory).catch((error: unknown) => error)
  expect(refusal).toBeInstanceOf(DirectoryLocked)
  expect(refusal).toMatchObject({ directory, processId: process.pid })
  expect(String(refusal)).toContain(`${directory} is in use by process ${process.pid}`)
  unlock()
  const again = await lockDirectory(directory)
  again()
  expect(fs.readdirSync(directory)).toEqual([])
})

test('of many who ask at once exactly one gets the directory', async () => {
  const directory = freshDirectory()
  const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lockDirectory(directory)))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

const holder = `
  const { lockDirectory } = await import(${JSON.stringify(path.join(import.meta.dirname, 'directory-lock.ts'))})
  await lockDirectory(process.argv[1])
  console.log('locked')
  setInterval(() => undefined, 1000)`

test('another process is refused while the holder lives, and takes over when it was killed', async () => {
  const directory = freshDirectory()
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, directory])
  await once(child.stdout, 'data')
  await expect(lockDirectory(directory, times)).rejects.toMatchObject({ processId: child.pid })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const unlock = await lockDirectory(directory)
  unlock()
})

test('a holder that is killed while it has much to give back is waited for, twenty times in a row', async () => {
  const directory = freshDirectory()
  // Memory to unmap and threads to end: what takes a killed engine its moment.
  const heavy = `const heavy = Buffer.alloc(256 * 1024 * 1024, 1); globalThis.heavy = heavy; ${holder}`
  for (let round = 0; round < 20; round += 1) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', heavy, directory])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    // Not waiting until it is gone, as a supervisor that restarts at once.
    const unlock = await lockDirectory(directory)
    unlock()
  }
}, 120_000)

test('a holder that has ended counts as gone although its parent never asks for it', async () => {
  const directory = freshDirectory()
  const script = '"$0" --input-type=module -e "$1" "$2" & echo "pid $!"; exec sleep 600'
  const parent = spawn('sh', ['-c', script, process.execPath, holder, directory])
  let said = ''
  parent.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  await expect.poll(() => said, { timeout: 30_000 }).toContain('locked')
  const pid = Number(/pid (\d+)/.exec(said)?.[1])
  await expect(lockDirectory(directory, times)).rejects.toMatchObject({ processId: pid })
  process.kill(pid, 'SIGKILL')
  const unlock = await lockDirectory(directory)
  expect(process.kill(pid, 0), 'it is a zombie').toBe(true)
  unlock()
  parent.kill('SIGKILL')
}, 60_000)

test('where there is no /proc, `ps` shows when a process began, and that a zombie is none', () => {
  expect(startByPs('Ss   Mon Nov 16 09:12:44 2026\n')).toBe('Mon Nov 16 09:12:44 2026')
  expect(startByPs('Z    Mon Nov 16 09:12:44 2026\n')).toBeNull()
  expect(startByPs('')).toBeNull()
})

test('a lock from before a recycled process id belongs to no one', async () => {
  const directory = freshDirectory()
  const unlock = await lockDirectory(directory)
  const owner = JSON.parse(fs.readFileSync(lockOf(directory), 'utf8'))
  unlock()
  // Without /proc there is no start time to compare; the beat decides, as in the tests below.
  fs.writeFileSync(lockOf(directory), JSON.stringify({ ...owner, startTicks: '1' }))
  const again = await lockDirectory(directory, times)
  again()
})

test.each([
  [
    'another boot or container',
    JSON.stringify({ token: 't', processId: 1, startTicks: '1', world: 'elsewhere' }),
  ],
  ['no readable holder', '{"token'],
])('a lock of %s is respected while it beats and taken over when it stops', async (_name, content) => {
  const directory = freshDirectory()
  fs.mkdirSync(directory)
  fs.writeFileSync(lockOf(directory), content)
  const beat = setInterval(() => fs.utimesSync(lockOf(directory), new Date(), new Date()), times.beatMs)
  await expect(lockDirectory(directory, times)).rejects.toBeInstanceOf(DirectoryLocked)
  clearInterval(beat)
  const unlock = await lockDirectory(directory, times)
  unlock()
})

test('a holder touches its lock for as long as it holds it', async () => {
  const directory = freshDirectory()
  const unlock = await lockDirectory(directory, times)
  const touched = (): number => fs.statSync(lockOf(directory)).mtimeMs
  const first = touched()
  await expect.poll(touched).toBeGreaterThan(first)
  unlock()
})
