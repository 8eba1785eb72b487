import { expect, test } from 'vitest'
import { readRowsFrom, splitSettings } from './statement.ts'

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
