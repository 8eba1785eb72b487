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

test('a request under which the events engine crashed may be sent again', () => {
  const crash = Object.assign(new Error('The events engine crashed: unreachable'), { code: 'ENGINE_CRASHED' })
  const { status, options } = toProblem(crash)
  expect([status, options.headers]).toEqual([503, { 'retry-after': '5' }])
})

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
