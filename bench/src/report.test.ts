import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Figure, formatNumber, formatTable, verdictOf, writeReport } from './report.ts'

const single: Figure = {
  work: 'single events',
  value: 15_500,
  unit: 'req/s',
  bare: 31_000,
  target: { of: 'ratio', least: 0.5 },
}
const slow: Figure = {
  work: 'overview',
  value: 61,
  unit: 'ms',
  target: { of: 'value', most: 60 },
  note: 'p50',
}

test('a figure meets its target at the bound itself and misses it beyond', () => {
  expect(verdictOf(single)).toBe('met')
  expect(verdictOf({ ...single, value: 15_499 })).toBe('missed')
  expect(verdictOf(slow)).toBe('missed')
  expect(verdictOf({ ...slow, value: 60 })).toBe('met')
  expect(verdictOf({ work: 'memory', value: 1, unit: 'MB' })).toBe('no target')
})

test('what could not be measured never counts as met', () => {
  expect(verdictOf({ ...slow, value: Number.NaN })).toBe('missed')
  expect(verdictOf({ work: 'x', value: 1, unit: 's', target: { of: 'ratio', least: 0 } })).toBe('missed')
})

test('the table shows each figure with its bare limit, the ratio, the target and the verdict', () => {
  const [heading, , first, second] = formatTable([single, slow]).split('\n')
  expect(heading).toMatch(/^work\s+measured\s+bare limit\s+ratio\s+target$/)
  expect(first).toMatch(/^single events\s+15,500 req\/s\s+31,000 req\/s\s+0\.5×\s+≥ 0\.5×\s+met$/)
  expect(second).toMatch(/^overview \(p50\)\s+61 ms\s+≤ 60 ms\s+missed$/)
})

test('numbers are short to read', () => {
  expect([0.123_456, 3.256, 99.95, 1234.5, Number.NaN].map(formatNumber)).toEqual([
    '0.123',
    '3.26',
    '100',
    '1,235',
    '–',
  ])
})

test('the report is written as JSON with ratio and verdict, under the time it began', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-report-'))
  const startedAt = '2026-05-01T10:20:30.000Z'
  const file = writeReport(folder, { startedAt, machine: {}, figures: [single], profiles: {} })
  const written = JSON.parse(readFileSync(file, 'utf8'))
  rmSync(folder, { recursive: true })
  expect(file).toBe(join(folder, '2026-05-01T10-20-30.json'))
  expect(written.figures).toEqual([{ ...single, ratio: 0.5, verdict: 'met' }])
})
