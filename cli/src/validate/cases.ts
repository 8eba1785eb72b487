import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type GateCase, isRecord, judgeCase } from '@assay/contract'
import type { Outcome as CommandOutcome, Context } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'

type Difference = { name: string; member: string; expected: unknown; actual: unknown }

/**
 * Runs a file of cases: each gives what is known, the event, and the expected verdict. The gate's own
 * conformance file is one, and a project can have its own.
 */
export function judgeCases({ world, paint }: Context, file: string): CommandOutcome {
  const cases = readCases(resolve(world.directory, file), file)
  const differences = cases.flatMap(differencesOf)
  const failed = new Set(differences.map(({ name }) => name)).size
  return {
    exitCode: failed === 0 ? exitCodes.fine : exitCodes.found,
    data: { ok: failed === 0, cases: cases.length, failed, differences },
    lines: [
      ...differences.map(
        ({ name, member, expected, actual }) =>
          `${paint('red', 'differs')}  ${name}: ${member} is ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
      ),
      `${cases.length} cases, ${failed} with another verdict than expected.`,
    ],
  }
}

function readCases(path: string, file: string): GateCase[] {
  if (!existsSync(path)) throw misuse(`There is no file ${file}.`)
  const read: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const isCase = (each: unknown) =>
    isRecord(each) && isRecord(each.given) && isRecord(each.expect) && 'input' in each
  if (!Array.isArray(read) || !read.every(isCase)) {
    throw misuse(
      `${file} is not a list of cases.`,
      'Each has `name`, `endpoint`, `given`, `input` and `expect`; see docs/cli.md.',
    )
  }
  // boundary: checked just above to have the members that the gate reads.
  return read as GateCase[]
}

function differencesOf(one: GateCase): Difference[] {
  const verdict = judgeCase(one)
  const { codes, ...members } = one.expect
  const actualCodes = verdict.issues.map(({ code }) => code).toSorted()
  const found = Object.entries({ ...verdict, codes: actualCodes })
  const expected = Object.entries({ ...members, codes: codes.toSorted() })
  return expected.flatMap(([member, value]) => {
    const actual = found.find(([name]) => name === member)?.[1]
    return isEqual(actual, value) ? [] : [{ name: one.name, member, expected: value, actual }]
  })
}

function isEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false
  if (Array.isArray(left) !== Array.isArray(right)) return false
  const [ours, theirs] = [Object.entries(left), new Map(Object.entries(right))]
  return (
    ours.length === theirs.size &&
    ours.every(([name, value]) => theirs.has(name) && isEqual(value, theirs.get(name)))
  )
}
