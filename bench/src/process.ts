import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

export type Program = {
  readonly child: ChildProcess
  /** Lines of its standard output and error so far, the last few hundred: what to show when it fails. */
  readonly lines: readonly string[]
}

const keptLines = 300

/** What must not outlive this program, however it ends. */
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGTERM')
})

/** Starts one of our programs under the Node that runs this one. Only where it is asked to, it is sent messages. */
export function startProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  onLine: (line: string) => void = () => {},
  isAsked = false,
): Program {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: isAsked ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.on('exit', () => running.delete(child))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > keptLines) lines.shift()
      onLine(line)
    })
  }
  return { child, lines }
}

/** Asks it to stop and waits; a program that does not within the time is ended, and that is an error. */
export async function stopProgram({ child, lines }: Program, timeoutMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  await exited
  clearTimeout(timer)
  if (child.signalCode === 'SIGKILL')
    throw new Error(`did not stop within ${timeoutMs} ms\n${lines.join('\n')}`)
}

/** As the power would end it: no handler of it runs. */
export async function killProgram({ child }: Program): Promise<void> {
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

/** Resident memory in megabytes, from `ps`, which every system has that the product runs on. */
export function residentMegabytes(processId: number): number {
  const kilobytes = execFileSync('ps', ['-o', 'rss=', '-p', processId.toString()], { encoding: 'utf8' })
  return Number(kilobytes.trim()) / 1024
}

/** The most it ever was, where the system keeps it; else what it is now. */
export function peakMegabytes(processId: number): number {
  const file = `/proc/${processId}/status`
  const found = existsSync(file) ? /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return found === undefined ? residentMegabytes(processId) : Number(found) / 1024
}

/** Clock ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const ticksPerSecond = 100

/**
 * Processor time that a process has used so far: in its main thread, and in all of them. Null where there is no
 * /proc. On a machine that others use too, this says more than the time that went by.
 */
export function processorSeconds(processId: number): { main: number; all: number } | null {
  const used = (file: string) => {
    const stat = readFileSync(file, 'utf8')
    // The name, second in the line, may hold anything; user and system time are the 14th and 15th (proc(5)).
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
  }
  if (!existsSync(`/proc/${processId}/stat`)) return null
  return { main: used(`/proc/${processId}/task/${processId}/stat`), all: used(`/proc/${processId}/stat`) }
}

/** Asks until the answer is not null. Throws when the time is over or the program has ended. */
export async function waitFor<Answer>(
  what: string,
  timeoutMs: number,
  ask: () => Promise<Answer | null>,
  everyMs = 20,
): Promise<Answer> {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() > deadline) throw new Error(`${what} took longer than ${timeoutMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, everyMs))
  }
}
