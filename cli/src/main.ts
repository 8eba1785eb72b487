import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { homedir } from 'node:os'
import { createInterface } from 'node:readline/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { wantsColour } from './paint.ts'
import { run } from './run.ts'

const { stdin, stdout, stderr } = process

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

/** Uses the system's opener; the address is ours, and no shell interprets it. */
function openBrowser(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url]
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true })
  // Without a browser the user opens the address, which is printed as well.
  child.on('error', () => {})
  child.unref()
}

// A reader that has seen enough, such as head, closes the pipe: not an error.
stdout.on('error', (error: Error & { code?: string }) => {
  if (error.code !== 'EPIPE') throw error
})

// These write a whole installation or workspace, secrets included.
if (['backup', 'restore', 'export'].includes(process.argv[2] ?? '')) process.umask(0o077)

process.exitCode = await run(process.argv.slice(2), {
  directory: process.cwd(),
  home: homedir(),
  environment: process.env,
  now: Date.now,
  newId: randomUUID,
  wait: (ms) => wait(ms),
  fetch,
  input: () => stdin,
  inputEnded: () =>
    new Promise((resolve) => {
      stdin.once('end', resolve)
      stdin.once('close', resolve)
    }),
  openBrowser,
  terminal: {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isInteractive: stdin.isTTY === true && stderr.isTTY === true,
    hasColour: wantsColour(process.env, stdout.isTTY === true),
    ask,
  },
})
