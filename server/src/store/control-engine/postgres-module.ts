import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

declare global {
  /** Node has it; the types of Node name only what it holds. */
  namespace WebAssembly {
    function compile(bytes: Uint8Array): Promise<Module>
  }
}

let compiled: Promise<WebAssembly.Module> | null = null

/**
 * Postgres as WebAssembly, compiled while its thread starts. Threads share the code of one module, and so do
 * all stores that a process opens one after the other.
 */
export function postgresModule(): Promise<WebAssembly.Module> {
  compiled ??= compile()
  return compiled
}

/** Functions are checked when they are first called: 25 ms of the processor at the start instead of 114. */
const lazily = '--wasm-lazy-validation'

async function compile(): Promise<WebAssembly.Module> {
  setFlagsFromString(lazily)
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  return WebAssembly.compile(await readFile(join(folder, 'pglite.wasm')))
}
