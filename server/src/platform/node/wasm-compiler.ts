import { setFlagsFromString } from 'node:v8'

/**
 * V8 compiles a function of WebAssembly a second time, optimized, when it runs often. One function of the embedded
 * Postgres then takes 600 MB and more than a second of a core, at every start and to save 0.2 ms a statement. The
 * portable events engine needs it: its queries run inside such functions. For the whole process, before the first
 * module is compiled.
 */
export function compileOnce(): void {
  for (const flag of ['--liftoff-only', '--no-wasm-dynamic-tiering', '--no-wasm-tier-up']) {
    setFlagsFromString(flag)
  }
}
