/** `npm test`: sets up, checks, runs the tests; the last line says how many passed and how many failed. */
import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { delimiter, join, relative } from 'node:path'
import { durationsOf, memberOf, slowestLines, writeDurations } from './durations.ts'
import { needs, setUp, thisMachine } from './setup.ts'

type Tally = { passed: number; failed: number }
type Step = { name: string; run: () => Tally }

const root = join(import.meta.dirname, '..')
const programs = join(root, 'node_modules', '.bin')
/** A step that takes longer hangs: the whole run is meant to take minutes. */
const stepTimeoutMs = 45 * 60_000

const steps: readonly Step[] = [
  { name: 'types', run: () => check('types') },
  { name: 'lint', run: () => check('lint') },
  { name: 'tidy', run: () => check('tidy') },
  { name: 'openapi', run: () => check('openapi', '--', '--check') },
  { name: 'dashboard', run: () => check('dashboard') },
  { name: 'docs', run: () => check('docs') },
  // Made once here, so that no product that a test starts makes it again.
  { name: 'sdk', run: () => check('sdk') },
  { name: 'tests', run: runTests },
]

/** Runs a script of package.json, where its command is written once. */
function check(script: string, ...args: string[]): Tally {
  const exitCode = execute('npm', ['run', '--silent', script, ...args])
  return exitCode === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
}

/** Answers the exit code; a program that was killed or never began has failed. */
function execute(program: string, args: readonly string[]): number {
  const { status, error } = spawnSync(program, args, {
    cwd: root,
    env: {
      ...process.env,
      // Our own Node and tools come first, whatever the caller has installed.
      PATH: [programs, process.env.PATH ?? ''].join(delimiter),
      // Each of the many processes that tests start would compile the same sources.
      NODE_COMPILE_CACHE: join(root, '.cache', 'compiled'),
    },
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
 * Every step runs, so that one run reports everything there is to fix; without its tools the run ends at
 * once.
 */
export function runAll(
  allSteps: readonly Step[],
  isSetUp: () => boolean,
  say: (line: string) => void,
): Tally {
  const outcomes: string[] = []
  const total: Tally = { passed: 0, failed: 0 }
  const take = ({ name, run }: Step) => {
    say(`\n── ${name}`)
    const begunAt = performance.now()
    const tally = run()
    const elapsed = ((performance.now() - begunAt) / 1000).toFixed(1).padStart(7)
    outcomes.push(`${tally.failed === 0 ? 'ok    ' : 'FAILED'} ${elapsed} s  ${name}`)
    total.passed += tally.passed
    total.failed += tally.failed
    return tally.failed === 0
  }
  const canGoOn = take({ name: 'set-up', run: () => ({ passed: 0, failed: isSetUp() ? 0 : 1 }) })
  if (canGoOn) for (const step of allSteps) take(step)
  say(`\n${outcomes.join('\n')}\n`)
  say(`${total.passed} passed, ${total.failed} failed`)
  return total
}

if (import.meta.main) {
  const total = runAll(
    steps,
    () => setUp(needs, thisMachine),
    (line) => console.log(line),
  )
  process.exitCode = total.failed === 0 ? 0 : 1
}
