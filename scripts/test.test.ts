import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { durationsOf, readDurations, slowestLines, writeDurations } from './durations.ts'
import { type Machine, type Need, setUp } from './setup.ts'
import { collect, countTests, failuresOf, runAll } from './test.ts'

const file = (status: string, ...tests: string[]) => ({
  status,
  assertionResults: tests.map((each) => ({ status: each })),
})

describe('counting tests', () => {
  test('every test counts by its own outcome, over all files', () => {
    const testResults = [file('passed', 'passed', 'passed'), file('failed', 'passed', 'failed')]
    expect(countTests({ testResults }, 1)).toEqual({ passed: 3, failed: 1 })
    expect(countTests({ testResults: [file('passed', 'passed')] }, 0)).toEqual({ passed: 1, failed: 0 })
  })

  test('a file that cannot be loaded is a failure of its own', () => {
    const testResults = [file('passed', 'passed'), file('failed'), file('failed', 'passed')]
    expect(countTests({ testResults }, 1)).toEqual({ passed: 2, failed: 2 })
  })

  test('a runner that fails although every test passed has failed: an error outside of any test', () => {
    expect(countTests({ testResults: [file('passed', 'passed')] }, 1)).toEqual({ passed: 1, failed: 1 })
  })

  test('no test at all is a failure, even when the runner is content', () => {
    expect(countTests({ testResults: [] }, 0)).toEqual({ passed: 0, failed: 1 })
    expect(countTests({ testResults: [file('skipped', 'skipped')] }, 0)).toEqual({ passed: 0, failed: 1 })
  })

  test.each([undefined, null, 'text', {}, { testResults: 'none' }, { testResults: [null, 1] }])(
    'a report that says nothing is a failure: %j',
    (report) => {
      expect(countTests(report, 0)).toEqual({ passed: 0, failed: 1 })
    },
  )

  test('the end of a run names each failed test and each file that could not be loaded', () => {
    const tests = [
      { status: 'passed', fullName: 'goes in' },
      { status: 'failed', fullName: 'comes out', failureMessages: ['expected 1\n\nto be 2\n  at line 3'] },
    ]
    const testResults = [
      { status: 'failed', name: 'a.test.ts', assertionResults: tests },
      { status: 'failed', name: 'b.test.ts', message: 'no such module', assertionResults: [] },
      { status: 'passed', name: 'c.test.ts', assertionResults: [tests[0]] },
    ]
    const lines = failuresOf({ testResults })
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(/a\.test\.ts: comes out: expected 1 to be 2$/)
    expect(lines[1]).toMatch(/b\.test\.ts: no such module$/)
    expect(failuresOf(undefined)).toEqual([])
  })
})

describe('how long files took', () => {
  const took = (name: string, startTime: number, endTime: number) => ({ name, startTime, endTime })

  test('is said of the slowest, the longest first', () => {
    const report = { testResults: [took('a', 0, 2_040), took('b', 1_000, 61_000), took('c', 5, 105)] }
    expect(slowestLines(durationsOf(report), 2)).toEqual(['   60.0 s  b', '    2.0 s  a'])
  })

  test.each([undefined, null, {}, { testResults: [null, { name: 'a' }, took('b', 7, 0)] }])(
    'is left out if it is unknown: %j',
    (report) => expect(durationsOf(report).size).toBe(0),
  )

  test('is read by the next run as it was written', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'assay-durations-')), 'inner', 'durations.json')
    expect(readDurations(file).size).toBe(0)
    const durations = new Map([
      ['a', 1.5],
      ['b', 60],
    ])
    writeDurations(durations, file)
    expect(readDurations(file)).toEqual(durations)
    writeFileSync(file, '{"a":')
    expect(readDurations(file).size).toBe(0)
  })
})

describe('the whole run', () => {
  async function run(isSetUp: boolean) {
    const said: string[] = []
    const steps = [
      [{ name: 'lint', run: () => ({ passed: 0, failed: 1, output: 'a line is too long\n' }) }],
      [{ name: 'tests', run: () => ({ passed: 7, failed: 2 }) }],
    ]
    const total = await runAll(
      steps,
      () => isSetUp,
      (line) => said.push(line),
    )
    return { total, said }
  }

  test('the last line has the counts alone, and a failed step does not keep later ones from running', async () => {
    const { total, said } = await run(true)
    expect(total).toEqual({ passed: 7, failed: 3 })
    expect(said).toContain('a line is too long')
    expect(said.at(-1)).toBe('7 passed, 3 failed')
  })

  test('without its tools the run ends at once and has failed', async () => {
    const { total, said } = await run(false)
    expect(total).toEqual({ passed: 0, failed: 1 })
    expect(said.join('\n')).not.toContain('lint')
    expect(said.at(-1)).toBe('0 passed, 1 failed')
  })

  test('steps of a group run side by side, say what they say under their names, and end before the next group', async () => {
    const said: string[] = []
    const order: string[] = []
    const lintMayEnd = Promise.withResolvers<void>()
    const step = (name: string, work: () => void | Promise<void>) => ({
      name,
      run: async () => {
        order.push(`${name} begins`)
        await work()
        order.push(`${name} ends`)
        return { passed: 1, failed: 0, output: `${name} is fine` }
      },
    })
    const checks = [
      step('lint', () => lintMayEnd.promise),
      step('types', () => lintMayEnd.resolve()),
      step('tidy', () => {}),
    ]
    const groups = [checks, [step('tests', () => {})]]
    const total = await runAll(
      groups,
      () => true,
      (line) => said.push(line),
      2,
    )
    expect(total).toEqual({ passed: 4, failed: 0 })
    expect(order.slice(0, 2)).toEqual(['lint begins', 'types begins'])
    expect(order.slice(-2)).toEqual(['tests begins', 'tests ends'])
    for (const name of ['lint', 'types', 'tidy', 'tests'])
      expect(said[said.indexOf(`\n── ${name}`) + 1]).toBe(`${name} is fine`)
  })

  test('a program that fails, is killed or does not exist has failed, and says why', async () => {
    const run = (script: string) => collect(process.execPath, ['-e', script])
    expect(await run("console.log('out'); console.error('err')")).toEqual({
      exitCode: 0,
      output: 'out\nerr\n',
    })
    expect(await run('process.exit(3)')).toEqual({ exitCode: 3, output: '' })
    const killed = await run("process.kill(process.pid, 'SIGKILL')")
    expect(killed.exitCode).not.toBe(0)
    expect(killed.output).toContain('SIGKILL')
    const missing = await collect('no-such-program-anywhere', [])
    expect(missing.exitCode).not.toBe(0)
    expect(missing.output).toContain('ENOENT')
  })
})

describe('set-up', () => {
  /** A machine on which installing works as configured, and a record of what it was asked to do. */
  function machine(options: { canInstall: boolean; works: boolean }) {
    const asked: string[] = []
    let isInstalled = false
    const need: Need = { name: 'A server', why: 'w', debianPackage: 'a-server', isPresent: () => isInstalled }
    const world: Machine = {
      canInstall: options.canInstall,
      run: (command, args) => {
        asked.push([command, ...args].join(' '))
        if (args.includes('a-server')) isInstalled = options.works
        return options.works
      },
      say: (line) => asked.push(line),
    }
    return { need, world, asked }
  }

  test('what is there is not installed again', () => {
    const { need, world, asked } = machine({ canInstall: true, works: true })
    expect(setUp([{ ...need, isPresent: () => true }], world)).toBe(true)
    expect(asked).toEqual([])
  })

  test('what is missing is installed after the package lists were renewed', () => {
    const { need, world, asked } = machine({ canInstall: true, works: true })
    expect(setUp([need], world)).toBe(true)
    expect(asked.filter((line) => line.startsWith('apt-get'))).toEqual([
      'apt-get update --quiet',
      'apt-get install --yes --quiet --no-install-recommends a-server',
    ])
  })

  test('where nothing can be installed it says what to install, and fails', () => {
    const { need, world, asked } = machine({ canInstall: false, works: true })
    expect(setUp([need], world)).toBe(false)
    expect(asked.join('\n')).toContain('apt-get install a-server')
    expect(asked.some((line) => line.startsWith('apt-get'))).toBe(false)
  })

  test('an installation that goes wrong fails', () => {
    const { need, world } = machine({ canInstall: true, works: false })
    expect(setUp([need], world)).toBe(false)
  })
})
