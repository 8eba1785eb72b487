import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** Counts a million down to zero, so that V8 calls it hot. */
const countdown = [
  0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 6, 1, 0x60, 1, 0x7f, 1, 0x7f, 3, 2, 1, 0, 7, 5, 1, 1, 0x66, 0, 0,
  0x0a, 0x12, 1, 0x10, 0, 3, 0x40, 0x20, 0, 0x41, 1, 0x6b, 0x22, 0, 0x0d, 0, 0x0b, 0x20, 0, 0x0b,
]

/** What V8 says of its compilers while a function runs often. */
function compilersOf(beforeCompiling: string): string {
  const file = join(import.meta.dirname, 'wasm-compiler.ts')
  const program = `
    const { compileOnce } = await import(${JSON.stringify(file)})
    ${beforeCompiling}
    const module = new WebAssembly.Module(new Uint8Array(${JSON.stringify(countdown)}))
    const { f } = new WebAssembly.Instance(module).exports
    for (let turn = 0; turn < 200; turn++) f(1_000_000)`
  const flags = ['--trace-wasm-compilation-times', '--wasm-sync-tier-up']
  const args = [...flags, '--input-type=module', '--eval', program]
  const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  expect(status).toBe(0)
  return stdout
}

test('a function of WebAssembly is compiled once, however often it runs', () => {
  const compilers = compilersOf('compileOnce()')
  expect(compilers).toContain('Liftoff')
  expect(compilers).not.toContain('TurboFan')
})

test('without it V8 compiles the function again', () => {
  expect(compilersOf('')).toContain('TurboFan')
})
