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

test('what nobody expected stays a bug, without its words', () => {
  const { status, options } = toProblem(Object.assign(new Error('secret detail'), { code: '999' }))
  expect(status).toBe(500)
  expect(options.detail).not.toContain('secret')
})
