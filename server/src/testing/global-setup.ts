import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { placeForFiles, removeLeftovers } from './place.ts'

declare module 'vitest' {
  interface ProvidedContext {
    storesDirectory: string
  }
}

/** Only names a place: the first test file that needs the shared stores starts them there (harness.ts). */
export default function setUp(project: TestProject): () => void {
  const place = placeForFiles()
  removeLeftovers(place, 'assay-stores-')
  const directory = mkdtempSync(join(place, 'assay-stores-'))
  // Others may pass: Postgres runs as a user of its own.
  chmodSync(directory, 0o711)
  writeFileSync(`${directory}/owner`, String(process.pid))
  project.provide('storesDirectory', directory)
  return () => {
    for (const name of readdirSync(directory)) {
      const pidFile = `${directory}/${name}/pid`
      if (existsSync(pidFile)) stop(Number(readFileSync(pidFile, 'utf8')))
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  }
}

function stop(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It is gone already, which is what was wanted.
  }
}
