import { expect, test } from 'vitest'
import { readDemoOptions } from './demo-options.ts'

test('without options the demo has two months of three sites', () => {
  const usual = { dataDir: './.assay-demo', port: 4400, events: 400_000, days: 60, perSecond: null }
  expect(readDemoOptions([])).toEqual({ options: usual })
  const asked = readDemoOptions(['--events', '5e4', '--days=7', '--per-second', '0.5'], '5000')
  expect(asked).toEqual({ options: { ...usual, port: 5000, events: 50_000, days: 7, perSecond: 0.5 } })
})

test('help is given when asked for', () => {
  expect(readDemoOptions(['--help'])).toEqual({ help: expect.stringContaining('--data-dir'), problem: null })
})

test.each([
  [['--unheard'], 'unheard'],
  [['--events', 'many'], '--events must be a whole number from 1 to 1000000000, not many'],
  [['--days', '0'], '--days'],
  [['--port', '70000'], '--port must be a whole number from 1 to 65535'],
  [['--per-second', '-1'], '--per-second'],
])('%j is answered with help and what is wrong', (args, problem) => {
  expect(readDemoOptions(args)).toEqual({
    help: expect.stringContaining('--days 60'),
    problem: expect.stringContaining(problem),
  })
})
