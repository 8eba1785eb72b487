import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    storesDirectory: string
  }
}

/** Starts the shared stores without waiting for them: most test files never ask. */
export default function setUp(project: TestProject): () => Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'assay-stores-'))
  const child = spawn(process.execPath, [join(import.meta.dirname, 'prepare-stores.ts'), directory], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  project.provide('storesDirectory', directory)
  return async () => {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    if (child.exitCode === null && child.kill('SIGKILL')) await gone
    rmSync(directory, { recursive: true, force: true })
  }
}
