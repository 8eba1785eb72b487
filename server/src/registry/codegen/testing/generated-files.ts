import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { CodeLanguage } from '@assay/contract'
import { generate } from '../generate.ts'
import { contractSets } from './contract-sets.ts'

/** Writes the code of each set into a folder of its own below a new one, and answers that one. */
export async function writeSets(language: CodeLanguage, sets = contractSets): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), `assay-codegen-${language}-`))
  for (const [set, contracts] of Object.entries(sets)) {
    for (const file of generate(language, contracts, { environment: 'production' }).files) {
      await writeText(join(root, set, file.path), file.content)
    }
  }
  return root
}

export async function writeText(path: string, content: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true })
}

type Run = { exitCode: number; output: string }

/** Runs a program to its end. One that is not there fails with `whenMissing`, which says how to get it. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  whenMissing: string,
): Promise<Run> {
  return new Promise((resolve, reject) => {
    // A compiler that refuses everything may say a lot; 16 MB of it are enough to see why.
    const options = { cwd, maxBuffer: 16 * 1024 * 1024 }
    execFile(program, args, options, (error, stdout, stderr) => {
      if (error?.code === 'ENOENT') return reject(new Error(whenMissing))
      const exitCode = typeof error?.code === 'number' ? error.code : error === null ? 0 : 1
      resolve({ exitCode, output: stdout + stderr })
    })
  })
}
