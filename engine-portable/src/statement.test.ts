import { expect, test } from 'vitest'
import { identifier, leavesNothing, preparation, requireNames } from './statement.ts'

test('a SET that outgrows the limit for queries raises it and puts it back', () => {
  const text = 'x'.repeat(300_000)
  const statement = { sql: '', format: 'CSV', settings: {}, parameters: { text } }
  expect(preparation(statement)).toEqual([
    expect.stringMatching(/^SET max_query_size = '\d+'$/),
    `SET param_text = '${text}', max_query_size = '262144'`,
  ])
  expect(preparation({ ...statement, parameters: {} })).toEqual([])
})

test('only a statement that changes nothing of its connection shares one, and only with all its parameters', () => {
  const statement = { format: 'CSV', settings: {}, parameters: { a: '1' } }
  for (const sql of [
    'SELECT {a:UInt8}',
    ' with 1 AS x SELECT x',
    'INSERT INTO t SELECT {a:UInt8}',
    'create table t (a UInt8)',
  ]) {
    expect(leavesNothing({ ...statement, sql }), sql).toBe(true)
  }
  for (const sql of [
    'SET x = 1',
    'USE other',
    'CREATE TEMPORARY TABLE t (a UInt8)',
    'SELECT {a:UInt8}, { b :UInt8}',
  ]) {
    expect(leavesNothing({ ...statement, sql }), sql).toBe(false)
  }
  const read = { ...statement, sql: 'SELECT 1' }
  expect(leavesNothing({ ...read, database: 'other' })).toBe(false)
  expect(leavesNothing({ ...read, settings: { max_threads: '1' } })).toBe(false)
  expect(leavesNothing({ ...read, parameters: { a: 'x'.repeat(300_000) } })).toBe(false)
})

test('no text can end its literal, and no name its quotes', () => {
  expect(preparation({ settings: { a: "a'b\\c\0" }, parameters: {} })).toEqual(["SET a = 'a\\'b\\\\c\\0'"])
  expect(identifier('a`b\\c')).toBe('`a\\`b\\\\c`')
})

test('a setting or parameter whose name is none is refused', () => {
  requireNames({ settings: { max_threads: '1' }, parameters: { a1: 'x', '1': 'y' } })
  for (const name of ['a = 1, b', 'a-b', 'a b', "a'"]) {
    expect(() => requireNames({ settings: { [name]: '1' }, parameters: {} }), name).toThrow(
      'name of a setting',
    )
    expect(() => requireNames({ settings: {}, parameters: { [name]: '1' } }), name).toThrow(
      'name of a setting',
    )
  }
})
