import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const file = join(import.meta.dirname, 'allocator.ts')
const program = `
  const { beginWithAllocator } = await import(${JSON.stringify(file)})
  beginWithAllocator(process.env)
  const { MALLOC_ARENA_MAX: arenas } = process.env
  const { pid, ppid, execArgv: [flag] } = process
  console.log(JSON.stringify({ pid, ppid, arenas, flag }))`

/** What the program says of itself, and which process it is. */
async function begun(env: Record<string, string>, ...flags: string[]) {
  const args = [...flags, '--no-deprecation', '--input-type=module', '--eval', program]
  const running = promisify(execFile)(process.execPath, args, { env: { PATH: process.env.PATH, ...env } })
  const { stdout, stderr } = await running
  const { pid, ...said } = JSON.parse(stdout)
  return { ...said, isSame: pid === running.child.pid, stderr }
}

const isLinux = process.platform === 'linux'

test('the program runs with the settings, in the same process, with the flags that it had', async () => {
  const arenas = isLinux ? '2' : undefined
  expect(await begun({})).toMatchObject({ arenas, isSame: true, ppid: process.pid, stderr: '' })
  expect((await begun({}, '--no-warnings')).flag).toBe('--no-warnings')
})

test('what the operator has set stays', async () => {
  expect(await begun({ MALLOC_ARENA_MAX: '8' })).toMatchObject({ arenas: '8', isSame: true })
})

test('a debugger keeps its connection', async () => {
  expect((await begun({}, '--inspect=127.0.0.1:0')).arenas).toBeUndefined()
})
