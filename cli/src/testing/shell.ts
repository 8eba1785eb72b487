import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../run.ts'
import type { World } from '../world.ts'

export type Said = { exitCode: number; out: string; err: string; json: () => Record<string, unknown> }

export type ShellOptions = {
  environment?: Record<string, string>
  /** What a person types, in order; without it the terminal is not interactive. */
  answers?: string[]
  input?: string
  fetch?: typeof fetch
  now?: number
  wait?: (ms: number) => Promise<void>
  openBrowser?: (url: string) => void
}

/** A temporary folder, and the command run in it as from a shell. */
export type Shell = {
  directory: string
  home: string
  assay: (args: readonly string[], options?: ShellOptions) => Promise<Said>
  write: (path: string, content: unknown) => void
  read: (path: string) => string
  /** Every file with its text, to compare before and after. */
  snapshot: () => Record<string, string>
  /** A colleague's clone: the same files, the same key, another folder. */
  clone: () => Shell
  remove: () => void
}

export function openShell(from?: Shell): Shell {
  const root = mkdtempSync(join(tmpdir(), 'assay-cli-'))
  const directory = join(root, 'project')
  const home = join(root, 'home')
  mkdirSync(directory)
  mkdirSync(home)
  if (from !== undefined) {
    cpSync(from.directory, directory, { recursive: true })
    cpSync(from.home, home, { recursive: true })
  }
  const shell: Shell = {
    directory,
    home,
    assay: (args, options = {}) => call(args, { directory, home }, options),
    write(path, content) {
      mkdirSync(dirname(join(directory, path)), { recursive: true })
      const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2)
      writeFileSync(join(directory, path), text)
    },
    read: (path) => readFileSync(join(directory, path), 'utf8'),
    snapshot: () => Object.fromEntries(filesIn(directory).map((path) => [path, shell.read(path)])),
    clone: () => openShell(shell),
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
  return shell
}

function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1))
    .toSorted()
}

async function call(
  args: readonly string[],
  places: Pick<World, 'directory' | 'home'>,
  {
    environment = {},
    answers,
    input = '',
    fetch: send = fetch,
    now,
    wait = async () => {},
    openBrowser = () => {},
  }: ShellOptions,
): Promise<Said> {
  const [out, err]: [string[], string[]] = [[], []]
  const exitCode = await run(args, {
    ...places,
    environment,
    now: () => now ?? Date.now(),
    newId: () => crypto.randomUUID(),
    wait,
    openBrowser,
    fetch: send,
    input: async function* () {
      yield input
    },
    inputEnded: async () => {},
    terminal: {
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      isInteractive: answers !== undefined,
      hasColour: false,
      ask: async (question) => {
        const answer = answers?.shift()
        if (answer === undefined) throw new Error(`no answer to: ${question}`)
        return answer
      },
    },
  })
  const text = out.join('')
  return { exitCode, out: text, err: err.join(''), json: () => JSON.parse(text) }
}
