import { expect, test } from 'vitest'
import { readOptions } from './options.ts'

test('a full run measures everything but what takes long and is named', () => {
  const { works, events, rounds, isShort } = readOptions([])
  expect(works.has('profile') || works.has('questions')).toBe(false)
  expect(works.has('large') && works.has('new') && works.has('attribution')).toBe(true)
  expect({ events, rounds, isShort }).toEqual({ events: 1e6, rounds: 5, isShort: false })
})

test('the short form has few works, rounds and events, each of which can be said', () => {
  const short = readOptions(['--short'])
  expect([...short.works]).toEqual(['start', 'track', 'new', 'batch', 'reads'])
  expect(short).toMatchObject({ events: 2e5, rounds: 3, roundMs: 1_500, reads: 5 })
  const asked = readOptions(['--short', '--only', 'reads, judge', '--events', '3e5', '--against', 'main'])
  expect([...asked.works]).toEqual(['judge', 'reads'])
  expect(asked).toMatchObject({ events: 3e5, reads: 5, against: 'main' })
})

test.each([
  [['--only', 'reads,unheard'], 'unknown: unheard'],
  [['--rounds', '0'], '--rounds must be a number above 0'],
  [['--events', 'many'], '--events must be a number above 0'],
  [['--unheard'], 'unheard'],
  [['--against', 'main', '--data', 'x'], '--data is of one commit'],
])('%j is refused', (args, reason) => {
  expect(() => readOptions(args)).toThrow(reason)
})
