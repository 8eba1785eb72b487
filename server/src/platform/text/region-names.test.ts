import { expect, test } from 'vitest'
import { regionName, regionOfCode, regionOfText } from './region-names.ts'

test.each([
  ['DE-BE', 'Berlin'],
  ['DE-BY', 'Bavaria'],
  ['US-IL', 'Illinois'],
  ['GB-ENG', 'England'],
  ['FR-IDF', 'Île-de-France'],
  ['DE-XX', ''],
  ['', ''],
  ['constructor', ''],
])('the name of %j is %j', (code, name) => {
  expect(regionName(code)).toBe(name)
})

test.each([
  ['DE', 'be', 'DE-BE'],
  ['DE', 'DE-BE', 'DE-BE'],
  ['JP', '13', 'JP-13'],
  // Since 2016 part of a larger region.
  ['FR', 'J', 'FR-IDF'],
  // Not known by name, and still a code.
  ['DE', 'QQ', 'DE-QQ'],
  ['DE', 'FR-IDF', ''],
  ['DE', 'Berlin', ''],
  ['DE', '', ''],
  ['DE', 'B-', ''],
])('in %s the code %j is %j', (country, text, code) => {
  expect(regionOfCode(country, text)).toBe(code)
})

test.each([
  ['DE', 'Berlin', 'DE-BE'],
  ['DE', 'State of Berlin', 'DE-BE'],
  ['DE', 'BE', 'DE-BE'],
  ['FR', 'ile de france', 'FR-IDF'],
  ['US', 'District of Columbia', 'US-DC'],
  ['RU', 'Moscow', 'RU-MOW'],
  ['RU', 'Moscow Oblast', 'RU-MOS'],
  ['ES', 'Madrid', 'ES-MD'],
  ['CN', 'Zhejiang', 'CN-ZJ'],
  ['US', 'Bavaria', ''],
  ['DE', 'QQ', ''],
  ['DE', '(not set)', ''],
  ['DE', 'x'.repeat(10_000), ''],
  ['', 'Berlin', ''],
])('in %s the region %j is %j', (country, text, code) => {
  expect(regionOfText(country, text)).toBe(code)
})
