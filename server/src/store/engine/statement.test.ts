import { expect, test } from 'vitest'
import { literal } from './parameters.ts'
import { leavesNothing, preparation, readRowsFrom, splitSettings } from './statement.ts'

test('an INSERT reads its rows from a file where it would have read them from behind its text', () => {
  expect(readRowsFrom('/spool/1', 'INSERT INTO t (a, b) FORMAT JSONEachRow')).toBe(
    "INSERT INTO t (a, b) FROM INFILE '/spool/1' COMPRESSION 'none' FORMAT JSONEachRow",
  )
  expect(readRowsFrom('/spool/1', 'INSERT INTO `format` SETTINGS async_insert = 0\nFORMAT CSV\n')).toBe(
    "INSERT INTO `format` FROM INFILE '/spool/1' COMPRESSION 'none' SETTINGS async_insert = 0\nFORMAT CSV\n",
  )
})

test('a SELECT from input reads the file, and words in text or comments do not mislead it', () => {
  const sql =
    "INSERT INTO t SELECT 'input(', x -- FORMAT CSV\nFROM input('x String, `format` String') FORMAT TSV;"
  expect(readRowsFrom("/it's", sql)).toBe(
    "INSERT INTO t SELECT 'input(', x -- FORMAT CSV\nFROM file('/it\\'s', 'TSV', 'x String, `format` String') ",
  )
})

test('rows without a format are refused', () => {
  expect(() => readRowsFrom('/spool/1', 'INSERT INTO t VALUES')).toThrow(/FORMAT/)
})

test('settings of the HTTP interface stay outside, and a name that is none is refused', () => {
  expect(
    splitSettings({ wait_end_of_query: 1, default_format: 'JSON', max_threads: 2, optimize: true }),
  ).toEqual({
    settings: { max_threads: '2', optimize: '1' },
    format: 'JSON',
  })
  expect(() => splitSettings({ 'max_threads = 1, x': 1 })).toThrow(/name of a setting/)
})

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

test('no text can end its literal', () => {
  expect(literal("a'b\\c\0")).toBe("'a\\'b\\\\c\\0'")
})
