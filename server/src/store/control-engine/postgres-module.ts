import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

declare global {
  /** Node has it; the types of Node name only what it makes. */
  namespace WebAssembly {
    var Module: new (bytes: Uint8Array) => Module
  }
}

let compiled: WebAssembly.Module | null = null

/**
 * Postgres as WebAssembly. Threads share the code of one module, and so do all stores that a process opens one
 * after the other.
 */
export function postgresModule(): WebAssembly.Module {
  compiled ??= compile()
  return compiled
}

/** Functions are checked and compiled when they are first called: 25 ms of the processor at the start. */
const lazily = '--wasm-lazy-validation'

function compile(): WebAssembly.Module {
  setFlagsFromString(lazily)
  const folder = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  return new WebAssembly.Module(readFileSync(join(folder, 'pglite.wasm')))
}
