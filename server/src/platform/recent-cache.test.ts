import { expect, test } from 'vitest'
import { rememberRecent } from './recent-cache.ts'

function counted(entriesMax: number) {
  const computed: string[] = []
  const lookup = rememberRecent((key) => {
    computed.push(key)
    return key.toUpperCase()
  }, entriesMax)
  return { computed, lookup }
}

test('a key that is asked for again is computed once', () => {
  const { computed, lookup } = counted(2)
  expect([lookup('a'), lookup('a'), lookup('a')]).toEqual(['A', 'A', 'A'])
  expect(computed).toEqual(['a'])
})

test('a key in steady use outlives any number of keys seen once', () => {
  const { computed, lookup } = counted(4)
  for (let index = 0; index < 1_000; index++) {
    lookup('steady')
    lookup(`once-${index}`)
  }
  expect(computed.filter((key) => key === 'steady')).toHaveLength(1)
})

test('a key not used for twice the size of the cache is forgotten', () => {
  const { computed, lookup } = counted(3)
  lookup('first')
  for (let index = 0; index < 6; index++) lookup(`other-${index}`)
  lookup('first')
  expect(computed.filter((key) => key === 'first')).toHaveLength(2)
})

test('a key of more than 1,024 characters is answered but not kept', () => {
  const { computed, lookup } = counted(3)
  const long = 'x'.repeat(1_025)
  lookup(long)
  expect(lookup(long)).toBe('X'.repeat(1_025))
  expect(computed).toHaveLength(2)
})
