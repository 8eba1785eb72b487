import { expect, test } from 'vitest'
import { toProblem } from './problem.ts'

test.each(['241', '173'])(
  'a read that the events store has no memory for (%s) says what to ask instead',
  (code) => {
    const refusal = Object.assign(new Error('memory limit exceeded'), { code })
    const { status, options } = toProblem(refusal)
    expect(status).toBe(503)
    expect(options.detail).toContain('shorter period')
  },
)

test.each([
  ['22021', 'character'],
  ['22P05', 'character'],
  ['22007', 'years 1 to 9999'],
  ['22008', 'years 1 to 9999'],
  ['22009', 'years 1 to 9999'],
])('a value that Postgres cannot hold (%s) is the fault of the request', (code, words) => {
  const { status, options } = toProblem(Object.assign(new Error('no'), { code }))
  expect(status).toBe(422)
  expect(options.detail).toContain(words)
})

test('an unexpected error stays a bug, without its message', () => {
  const { status, options } = toProblem(Object.assign(new Error('secret detail'), { code: '999' }))
  expect(status).toBe(500)
  expect(options.detail).not.toContain('secret')
})
