import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { runs } from '../../../testing/runs.ts'
import { ColumnWriter, readColumns } from './column-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-columns-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const column = fc.oneof(
  fc.int8Array(),
  fc.uint8Array(),
  fc.int16Array(),
  fc.int32Array(),
  fc.uint32Array(),
  fc.float64Array(),
  fc.bigInt64Array(),
  fc.int32Array({ minLength: 2 }).map((whole) => whole.subarray(1)),
)
const plain = fc.oneof(
  fc.integer(),
  fc.string({ unit: 'binary' }),
  fc.array(fc.string()),
  fc.constant(null),
  fc.boolean(),
)
const value = fc.dictionary(
  fc.string().filter((name) => name !== '__proto__'),
  fc.oneof(column, plain, fc.array(fc.dictionary(fc.stringMatching(/^[a-z]+$/), column))),
)

let files = 0
function written(values: readonly object[]): string {
  files += 1
  const path = join(folder, String(files))
  const writer = new ColumnWriter(path)
  for (const one of values) writer.write(one)
  writer.close()
  return path
}

/** A view has the bytes of its column alone. */
const same = (one: unknown) => structuredClone(one)

test('values are read as they were written', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 4 }), (values) => {
      expect([...readColumns(written(values))]).toEqual(values.map(same))
    }),
    { numRuns: runs(200) },
  )
})

test('a column that is there twice is one column again', () => {
  const twice = Int32Array.of(1, 2, 3)
  const [read] = readColumns(written([{ one: twice, other: twice }]))
  expect(read).toEqual({ one: twice, other: twice })
  expect(Reflect.get(read ?? {}, 'one')).toBe(Reflect.get(read ?? {}, 'other'))
})

/** How many values a file has; -1 where it is refused. */
function countValues(path: string): number {
  try {
    return [...readColumns(path)].length
  } catch {
    return -1
  }
}

test('a file that is not as it was written is refused, and one that was cut has fewer values', () => {
  const place = fc.double({ min: 0, max: 0.999, noNaN: true })
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 3 }), place, fc.boolean(), (values, at, isCut) => {
      const path = written(values)
      const bytes = readFileSync(path)
      const changed = Math.floor(at * bytes.length)
      bytes[changed] = (bytes[changed] ?? 0) ^ 0x55
      writeFileSync(path, isCut ? bytes.subarray(0, changed) : bytes)
      if (isCut) expect(countValues(path)).toBeLessThan(values.length)
      else expect(countValues(path)).toBe(-1)
    }),
    { numRuns: runs(200) },
  )
})
