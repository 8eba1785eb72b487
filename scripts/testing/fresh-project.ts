import { spawn } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Snippet, snippetsIn } from './snippets.ts'

const root = join(import.meta.dirname, '..', '..')

export type Written = { address: string; publicKey: string; secretKey: string }

/** The blocks of a page, with address and keys of a product in place of the examples. */
export function blocksOf(page: string, product: Written, ...languages: string[]): Snippet[] {
  return snippetsIn(page, readFileSync(join(root, page), 'utf8'), languages).map((snippet) => ({
    ...snippet,
    code: snippet.code
      .replaceAll('https://assay.example', product.address)
      .replaceAll('pk_live_…', product.publicKey)
      .replaceAll('process.env.ASSAY_KEY', JSON.stringify(product.secretKey)),
  }))
}

/** The file that a block names in its first line. */
export const fileOf = ({ code }: Snippet): string => /^\/\/ ([\w./-]+\.\w+)\n/.exec(code)?.[1] ?? ''

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
}

/** Packages of others, as installed; linked, so that the tests need no registry. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const place = join(folder, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(root, 'node_modules', name), place, 'dir')
  }
}

type Running = { lines: () => string; stop: () => Promise<void> }

/** Starts a program and waits until it prints that it is ready. */
export async function start(
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
  ready: RegExp,
): Promise<Running> {
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let lines = ''
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      lines += chunk.toString()
      if (ready.test(lines)) resolve()
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', () => reject(new Error(`${args.join(' ')} ended:\n${lines}`)))
  })
  return {
    lines: () => lines,
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
