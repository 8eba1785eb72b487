import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ConsentCategory, EventContract, Outcome } from '../event-contract.ts'
import { compileContract, compileContracts } from './compile.ts'
import { defaultRules } from './default-rules.ts'
import type { EnvelopeOptions } from './envelope.ts'
import type { KeyClass } from './event-time.ts'
import { readIngest } from './ingest-envelope.ts'
import type { Severities } from './issues.ts'
import { issueRules } from './issues.ts'
import type { Known, Verdict } from './judge.ts'
import { judgeReading } from './judge.ts'
import type { MappingRule } from './mapping.ts'
import { compileMapping } from './mapping.ts'
import type { CallType } from './track-envelope.ts'
import { readTrack } from './track-envelope.ts'

type Given = {
  receivedAt: number
  contracts?: EventContract[]
  versions?: EventContract[]
  rules?: MappingRule[]
  severities?: Severities
  keyClass?: KeyClass
  consent?: { denied: ConsentCategory[]; onDenied: 'reject' | 'anonymous' }
  suppressed?: boolean
  fallbackAnonymousId?: string
  sentAt?: unknown
  context?: unknown
  sizeBytes?: number
  isHistorical?: boolean
  type?: CallType
}
type Expected = { outcome: Outcome; codes: string[] } & Partial<Omit<Verdict, 'outcome' | 'issues'>>
/** `inputIsText`: the event stands as JSON text, where a reader of this file could not hold it as a value. */
type Case = {
  name: string
  door: 'track' | 'ingest'
  given: Given
  input: unknown
  inputIsText?: true
  expect: Expected
}

const cases: Case[] = JSON.parse(readFileSync(join(import.meta.dirname, 'conformance.json'), 'utf8'))

function judgeCase({ door, given, input, inputIsText }: Case): Verdict {
  const { fallbackAnonymousId, sentAt, context, sizeBytes, isHistorical, type } = given
  const options: EnvelopeOptions = {
    ...(fallbackAnonymousId === undefined ? {} : { fallbackAnonymousId: () => fallbackAnonymousId }),
    ...(sizeBytes === undefined ? {} : { sizeBytes }),
    ...(isHistorical === undefined ? {} : { isHistorical }),
    sentAt,
    context,
  }
  const sent: unknown = inputIsText && typeof input === 'string' ? JSON.parse(input) : input
  const track = type === undefined ? options : { ...options, type }
  const reading = door === 'ingest' ? readIngest(sent, options) : readTrack(sent, track)
  if (reading.kind === 'alias') throw new Error('an alias is no event')
  return judgeReading(reading, knownOf(given))
}

function knownOf(given: Given): Known {
  const { consent, versions = [] } = given
  const older = versions.map(compileContract)
  return {
    contracts: compileContracts(given.contracts ?? []),
    findVersion: (name, version) =>
      older.find(({ contract }) => contract.name === name && contract.version === version),
    mapping: compileMapping([...(given.rules ?? []), ...defaultRules]),
    keyClass: given.keyClass ?? 'secret',
    receivedAt: given.receivedAt,
    ...(given.severities === undefined ? {} : { severities: given.severities }),
    ...(given.suppressed === undefined ? {} : { suppressed: given.suppressed }),
    ...(consent === undefined
      ? {}
      : {
          consent: {
            allowed: (purpose) => (consent.denied.includes(purpose) ? 'denied' : 'granted'),
            onDenied: consent.onDenied,
          },
        }),
  }
}

test.each(cases.map((item): [string, Case] => [item.name, item]))('%s', (_name, item) => {
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
