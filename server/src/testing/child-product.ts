import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FirstRun } from '../app/first-run.ts'
import { freePort } from './free-port.ts'
import { untilTrue } from './harness.ts'

/** The product as users start it: a process of its own, which a test can kill. */
export type ChildProduct = {
  url: string
  keys: FirstRun
  output: () => string
  /** As the power would: no handler runs. */
  kill: () => Promise<void>
  /** As a machine that is frozen: nothing of it runs until `resume`. */
  pause: () => void
  resume: () => void
  /** As an operator would; answers the exit code. */
  terminate: () => Promise<number | null>
}

const startMsMax = 120_000

/** `tree` is the checkout whose product runs; without it, this one's. */
export async function startChild(env: Record<string, string>, tree?: string): Promise<ChildProduct> {
  const port = await freePort()
  const { child, output } = spawnProduct({ ...env, ASSAY_PORT: String(port) }, tree)
  const url = `http://127.0.0.1:${port}`
  await untilTrue(
    'the product to be ready',
    async () => {
      if (child.exitCode !== null) throw new Error(`the product ended:\n${output()}`)
      return fetch(`${url}/readyz`).then(
        (answer) => answer.ok,
        () => false,
      )
    },
    startMsMax,
  )
  const keys: FirstRun = JSON.parse(readFileSync(`${env.ASSAY_DATA_DIR}/first-run.json`, 'utf8'))
  return {
    url,
    keys,
    output,
    kill: () => end(child, 'SIGKILL').then(() => {}),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    terminate: () => end(child, 'SIGTERM'),
  }
}

/** For starts that are meant to fail. */
export async function failedStart(
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const { child, output } = spawnProduct(env)
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { code, output: output() }
}

function spawnProduct(
  env: Record<string, string>,
  tree = join(import.meta.dirname, '../../..'),
): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, [join(tree, 'server/src/main.ts')], {
    // What was compiled for one of them serves all.
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const collect = (chunk: Buffer) => {
    text += chunk.toString()
  }
  child.stdout?.on('data', collect)
  child.stderr?.on('data', collect)
  return { child, output: () => text }
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const gone = new Promise<number | null>((resolve) => child.once('exit', resolve))
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
  child.kill(signal)
  return gone
}
