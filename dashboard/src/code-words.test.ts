import {
  botReasons,
  deadLetterSteps,
  exclusionReasons,
  issueRules,
  notCountedReasons,
  omittedCode,
  routes,
  ruleOrigins,
} from '@assay/contract'
import { expect, test } from 'vitest'
import { codeWords, nameWords } from './code-words.ts'
import { gateText } from './text/gate.ts'
import { text } from './text.ts'

const tables = [
  ['an issue of the gate', [...Object.keys(issueRules), omittedCode], text.codes.issues],
  ['a step of a load', deadLetterSteps, text.codes.steps],
  ['an origin of a mapping rule', ruleOrigins, text.codes.origins],
  ['a reason not to count an event', notCountedReasons, gateText.bots.notCounted],
  ['a reason to take an event for one of a bot', botReasons, gateText.bots.reasons],
  ['a reason to leave out a touchpoint', exclusionReasons, text.explain.reasons],
] as const

test.each(tables)('every code of %s has words, and nothing else has', (_, codes, words) => {
  expect(Object.keys(words).sort()).toEqual([...codes].sort())
  for (const said of Object.values<string>(words)) expect(said).toMatch(/^[^_.]+$/)
})

test('a code that is not known, and every action of the audit log, is written as words', () => {
  expect(codeWords('issues', 'of_a_newer_server')).toBe('Of a newer server')
  const actions = routes.flatMap((route) => ('audit' in route && route.audit ? [route.audit.action] : []))
  expect(actions.length).toBeGreaterThan(20)
  for (const action of actions) expect(nameWords(action)).toMatch(/^(?:[A-Z][a-z]+|API|SQL)(?: [a-z]+)+$/)
  expect(['jobId', 'site.timezone', 'api_key.created'].map(nameWords)).toEqual([
    'Job ID',
    'Site time zone',
    'API key created',
  ])
})
