import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordLog } from '../../testing/recorded-log.ts'
import { chooseFormat, createLogger, createPrint, type LogLevel, logLevels } from './logger.ts'

const atMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const now = () => atMs

/** The lowest first. */
const order: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

test('an entry has level, time, component and message, and is written from the level on that is set', () => {
  expect([...logLevels].sort()).toEqual([...order].sort())
  for (const level of order) {
    const { logger, entries } = recordLog({ level, now })
    const log = logger.child({ component: 'loader' })
    for (const one of order) log[one]({ segment: 's1' }, `at ${one}`)
    expect(entries).toEqual(
      order.slice(order.indexOf(level)).map((one) => ({
        level: one,
        time: '2026-01-02T03:04:05.000Z',
        component: 'loader',
        segment: 's1',
        message: `at ${one}`,
      })),
    )
  }
})

test('an error is written as its kind and its stack, with those of its causes', () => {
  const { logger, entries } = recordLog({ now })
  const error = new TypeError('outer', { cause: new RangeError('inner') })
  logger.child({ component: 'mail' }).error({ err: error }, 'Not sent')
  logger.child({ component: 'mail' }).error(error)
  expect(entries).toMatchObject([{ message: 'Not sent' }, { message: 'outer' }])
  for (const entry of entries) {
    expect(entry).toMatchObject({ component: 'mail', kind: 'TypeError/RangeError' })
    expect(entry).not.toHaveProperty('err')
    expect(entry.stack).toMatch(/^TypeError: outer\n[\s\S]*logger\.test[\s\S]*Caused by: RangeError: inner\n/)
  }
})

test('people at a terminal get text and everything else gets JSON, unless one of them is asked for', () => {
  expect(chooseFormat('auto', true)).toBe('text')
  expect(chooseFormat('auto', false)).toBe('json')
  for (const isTerminal of [true, false]) {
    expect(chooseFormat('text', isTerminal)).toBe('text')
    expect(chooseFormat('json', isTerminal)).toBe('json')
  }
})

test('text is one line for the entry, and the stack below it', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'info', format: 'text', now, write: (line) => lines.push(line) })
  const log = logger.child({ component: 'http' })
  log.info({ path: '/v1/track', status: 202 }, 'Request answered')
  log.error({ err: new TypeError('bad\nnews') }, 'Unexpected error')
  expect(lines[0]).toBe('2026-01-02 03:04:05 INFO  http: Request answered path=/v1/track status=202')
  expect(lines[1]).toMatch(
    /^2026-01-02 03:04:05 ERROR http: Unexpected error\n {4}TypeError: bad\n {4}news\n {8}at /,
  )
})

test('whatever is logged or printed, text holds no control character, and only a stack has further lines', () => {
  const lines: string[] = []
  const options = { level: 'info', format: 'text', now, write: (line: string) => lines.push(line) } as const
  const logger = createLogger(options)
  const print = createPrint(options, logger)
  const control = fc.integer({ min: 0, max: 0x9f }).map((code) => String.fromCharCode(code))
  const hostile = fc.string({ unit: fc.oneof(control, fc.string({ minLength: 1, maxLength: 1 })) })
  fc.assert(
    fc.property(hostile, hostile, hostile, (message, field, thrown) => {
      lines.length = 0
      const log = logger.child({ component: 'http' })
      log.info({ field }, message)
      log.error({ field, err: thrown }, message)
      print(message)
      expect(lines).toHaveLength(3)
      expect(lines[0]).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      expect(lines[2]).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
      const [, ...below] = (lines[1] ?? '').split('\n')
      expect(below).toHaveLength(thrown.split('\n').length)
      for (const line of below) expect(line).toMatch(/^ {4}[^\p{Cc}\u2028\u2029]*$/u)
    }),
  )
})

test('whatever is thrown and logged makes an entry', () => {
  const { logger, entries } = recordLog({ now })
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true }), (thrown) => {
      entries.length = 0
      logger.error({ component: 'any', err: thrown ?? null }, 'Failed')
      expect(entries).toMatchObject([{ kind: 'Error', message: 'Failed', stack: expect.any(String) }])
    }),
  )
})

test('what an operator has to see is plain text on a terminal and an entry otherwise, at every level', () => {
  for (const level of logLevels) {
    const lines: string[] = []
    const write = (line: string) => void lines.push(line)
    for (const format of ['text', 'json'] as const) {
      const options = { level, format, now, write }
      createPrint(options, createLogger(options))('Assay is up')
    }
    expect(lines[0]).toBe('Assay is up')
    expect(JSON.parse(lines[1] ?? '')).toEqual({
      level: 'info',
      time: '2026-01-02T03:04:05.000Z',
      component: 'server',
      message: 'Assay is up',
    })
  }
})
