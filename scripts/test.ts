/** `npm test`: sets up, checks, runs the tests; the last line says how many passed and how many failed. */
import { spawn, spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { durationsOf, memberOf, slowestLines, writeDurations } from './durations.ts'
import { needs, setUp, thisMachine } from './setup.ts'

type Tally = { passed: number; failed: number }
/** `output` is what is still to be said: steps that run side by side do not say it in between. */
type Step = { name: string; run: () => StepOutcome | Promise<StepOutcome> }
type StepOutcome = Tally & { output?: string }

const root = join(import.meta.dirname, '..')
const programs = join(root, 'node_modules', '.bin')
/** A step that takes longer hangs: the whole run is meant to take minutes. */
const stepTimeoutMs = 45 * 60_000

/** The longest first. What products serve is made here once, so that none that a test starts makes it again. */
const checks: readonly Step[] = [
  { name: 'types', run: () => check('types') },
  { name: 'dashboard', run: () => check('dashboard') },
  { name: 'lint', run: () => check('lint') },
  { name: 'tidy', run: () => check('tidy') },
  { name: 'docs', run: () => check('docs') },
  { name: 'sdk', run: () => check('sdk') },
  { name: 'openapi', run: () => check('openapi', '--', '--check') },
]

/** Steps of a group run side by side; the tests run alone, since they use all cores. */
const groups: readonly (readonly Step[])[] = [checks, [{ name: 'tests', run: runTests }]]

function environment(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    // Our own Node and tools come first, whatever the caller has installed.
    PATH: [programs, process.env.PATH ?? ''].join(delimiter),
    // Each of the many processes that tests start would compile the same sources.
    NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
  }
}

/** Runs a script of package.json, where its command is written once. */
async function check(script: string, ...args: string[]): Promise<StepOutcome> {
  const { exitCode, output } = await collect('npm', ['run', '--silent', script, ...args])
  return { ...(exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }), output }
}

/** A program that was killed or never began has failed. */
export async function collect(
  program: string,
  args: readonly string[],
): Promise<{ exitCode: number; output: string }> {
  const child = spawn(program, args, {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: stepTimeoutMs,
  })
  const ended = new Promise<{ exitCode: number; complaint: string }>((resolve) => {
    child.once('error', ({ message }) => resolve({ exitCode: 1, complaint: `${program}: ${message}\n` }))
    child.once('close', (code, signal) =>
      resolve({
        exitCode: code ?? 1,
        complaint: signal === null ? '' : `${program} was ended by ${signal}\n`,
      }),
    )
  })
  const [said, complained, { exitCode, complaint }] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    ended,
  ])
  return { exitCode, output: `${said}${complained}${complaint}` }
}

/** Answers the exit code; a program that was killed or never began has failed. */
function execute(program: string, args: readonly string[]): number {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    env: environment(),
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: stepTimeoutMs,
  })
  if (error) console.error(`${program} did not run to its end: ${error.message}`)
  return status ?? 1
}

/** As many as make up most of a run. */
const slowestShown = 25

function runTests(): Tally {
  // Said, so that a property that fails can be run again on the same data.
  process.env.ASSAY_TEST_SEED = String(randomInt(2 ** 31 - 1))
  console.log(`seed of the properties: ${process.env.ASSAY_TEST_SEED}`)
  const { report, exitCode } = runVitest()
  const durations = durationsOf(report)
  if (durations.size > 0) writeDurations(durations)
  console.log(`\nthe slowest files:\n${slowestLines(durations, slowestShown).join('\n')}\n`)
  for (const line of failuresOf(report)) console.log(line)
  // The end of a long output is often all that is kept of it.
  const machine = `${process.platform} ${process.arch}, ${availableParallelism()} cores, Node ${process.version}`
  console.log(`${machine}, seed ${process.env.ASSAY_TEST_SEED}`)
  return countTests(report, exitCode)
}

function runVitest(): { report: unknown; exitCode: number } {
  const folder = mkdtempSync(join(tmpdir(), 'assay-tests-'))
  const reportFile = join(folder, 'report.json')
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`]
    const exitCode = execute('vitest', ['run', ...reporters])
    return { exitCode, report: readReport(reportFile) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function readReport(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    console.error('The test runner left no report.')
    return undefined
  }
}

/**
 * Counts from the JSON report of vitest. A file that cannot be loaded is one failure, so is whatever made the
 * runner fail without a failed test: an unhandled error, a crash, no test at all.
 */
export function countTests(report: unknown, exitCode: number): Tally {
  const files = listOf(report, 'testResults').map((file) => ({
    isFailed: memberOf(file, 'status') === 'failed',
    statuses: listOf(file, 'assertionResults').map((test) => memberOf(test, 'status')),
  }))
  const statuses = files.flatMap((file) => file.statuses)
  const brokenFiles = files.filter((file) => file.isFailed && !file.statuses.includes('failed'))
  const passed = statuses.filter((status) => status === 'passed').length
  const failed = statuses.filter((status) => status === 'failed').length + brokenFiles.length
  const isUnexplained = failed === 0 && (exitCode !== 0 || passed === 0)
  return { passed, failed: isUnexplained ? 1 : failed }
}

/** A line for each failed test and each broken file: the end of a long output is often all that is kept of it. */
export function failuresOf(report: unknown): string[] {
  return listOf(report, 'testResults').flatMap((file) => {
    if (memberOf(file, 'status') !== 'failed') return []
    const name = relative(root, String(memberOf(file, 'name')))
    const failed = listOf(file, 'assertionResults').filter((test) => memberOf(test, 'status') === 'failed')
    if (failed.length === 0) return [`failed: ${name}: ${reasonIn(memberOf(file, 'message'))}`]
    return failed.map((test) => {
      const [reason] = listOf(test, 'failureMessages')
      return `failed: ${name}: ${memberOf(test, 'fullName')}: ${reasonIn(reason)}`
    })
  })
}

/** On one line, without the location: a property prints its counterexample after the first line. */
function reasonIn(text: unknown): string {
  if (typeof text !== 'string') return ''
  const lines = text.split('\n').map((line) => line.trim())
  const said = lines.filter((line) => line !== '' && !line.startsWith('at '))
  return said.join(' ').slice(0, reasonCharactersMax)
}

const reasonCharactersMax = 1_500

function listOf(value: unknown, name: string): readonly unknown[] {
  const list = memberOf(value, name)
  return Array.isArray(list) ? list : []
}

/**
 * Every step runs, so that one run reports everything there is to fix; without its tools the run ends at once.
 */
export async function runAll(
  all: readonly (readonly Step[])[],
  isSetUp: () => boolean,
  say: (line: string) => void,
  lanes = availableParallelism(),
): Promise<Tally> {
  const outcomes: string[] = []
  const total: Tally = { passed: 0, failed: 0 }
  const take = async ({ name, run }: Step, isAlone: boolean) => {
    if (isAlone) say(`\n── ${name}`)
    const begunAt = performance.now()
    const { passed, failed, output = '' } = await run()
    const elapsed = ((performance.now() - begunAt) / 1000).toFixed(1).padStart(7)
    if (!isAlone) say(`\n── ${name}`)
    if (output !== '') say(output.trimEnd())
    outcomes.push(`${failed === 0 ? 'ok    ' : 'FAILED'} ${elapsed} s  ${name}`)
    total.passed += passed
    total.failed += failed
    return failed === 0
  }
  const canGoOn = await take({ name: 'set-up', run: () => ({ passed: 0, failed: isSetUp() ? 0 : 1 }) }, true)
  for (const group of canGoOn ? all : []) {
    const waiting = group.values()
    const lane = async () => {
      for (const step of waiting) await take(step, group.length === 1)
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  say(`\n${outcomes.join('\n')}\n`)
  say(`${total.passed} passed, ${total.failed} failed`)
  return total
}

if (import.meta.main) {
  const total = await runAll(
    groups,
    () => setUp(needs, thisMachine),
    (line) => console.log(line),
  )
  process.exitCode = total.failed === 0 ? 0 : 1
}
