import { expect, test } from 'vitest'
import { changesOf, type Part, spanOf } from './part-changes.ts'

/** The part of these inserts, each of which has ten rows in a minute of its own; with the change it was given last. */
const part = (first: number, last: number, { partition = '202606', change = 0, rows = 0 } = {}): Part => ({
  name: `${partition}_${first}_${last}_${change}_${rows}`,
  partition,
  firstBlock: first,
  lastBlock: last,
  version: change === 0 ? first : change,
  rows: rows === 0 ? (last - first + 1) * 10 : rows,
  fromMs: first * 60_000,
  untilMs: last * 60_000 + 59_000,
})
const minutes = (first: number, last: number) => ({ fromMs: first * 60_000, toMs: (last + 1) * 60_000 })

test.each<[string, Part[], Part[], ReturnType<typeof minutes>[]]>([
  ['nothing', [part(1, 2)], [part(1, 2)], []],
  ['an insert', [part(1, 2)], [part(1, 2), part(3, 3)], [minutes(3, 3)]],
  ['a merge of what is known', [part(1, 1), part(2, 2)], [part(1, 2)], []],
  ['a merge over a number that no insert has', [part(1, 1), part(3, 3)], [part(1, 3, { rows: 20 })], []],
  ['a merge with an insert that was not seen', [part(1, 1)], [part(1, 2)], [minutes(1, 2), minutes(1, 1)]],
  [
    'a merge with one between',
    [part(1, 1), part(3, 3)],
    [part(1, 3)],
    [minutes(1, 3), minutes(1, 1), minutes(3, 3)],
  ],
  ['a mutation', [part(1, 2)], [part(1, 2, { change: 3 })], [minutes(1, 2), minutes(1, 2)]],
  [
    'a merge and a mutation',
    [part(1, 1), part(2, 2)],
    [part(1, 2, { change: 3 })],
    [minutes(1, 2), minutes(1, 1), minutes(2, 2)],
  ],
  [
    'a merge after a mutation',
    [part(1, 1, { change: 3 }), part(4, 4)],
    [part(1, 4, { change: 3, rows: 20 })],
    [],
  ],
  ['what is gone', [part(1, 1), part(2, 2)], [part(1, 1)], [minutes(2, 2)]],
  ['another month', [part(1, 1)], [part(1, 1), part(1, 1, { partition: '202607' })], [minutes(1, 1)]],
])('%s', (_, before, after, changed) => {
  const { added, gone } = changesOf(before, after)
  expect([...added, ...gone].map(spanOf)).toEqual(changed)
})
