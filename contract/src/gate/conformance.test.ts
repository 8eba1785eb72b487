import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type GateCase, judgeCase } from './cases.ts'
import { issueRules } from './issues.ts'

const cases: GateCase[] = JSON.parse(readFileSync(join(import.meta.dirname, 'conformance.json'), 'utf8'))

test.each(cases.map((item): [string, GateCase] => [item.name, item]))('%s', (_name, item) => {
  const verdict = judgeCase(item)
  const { outcome, codes, ...details } = item.expect
  expect({ outcome: verdict.outcome, codes: verdict.issues.map((issue) => issue.code).sort() }).toEqual({
    outcome,
    codes: [...codes].sort(),
  })
  for (const [member, expected] of Object.entries(details)) {
    expect(Object.entries(verdict).find(([name]) => name === member)?.[1], member).toEqual(expected)
  }
  for (const issue of verdict.issues) expect(issue.message, issue.code).toMatch(/\w.*[.;]/)
})

test('the file has at least 150 cases, and every code of the gate stands in one of them', () => {
  expect(cases.length).toBeGreaterThanOrEqual(150)
  const covered = new Set(cases.flatMap((item) => item.expect.codes))
  expect(Object.keys(issueRules).filter((code) => !covered.has(code))).toEqual([])
})
