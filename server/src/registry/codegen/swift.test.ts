import { beforeAll, expect, test } from 'vitest'
import { generate } from './generate.ts'
import { contractSets } from './testing/contract-sets.ts'
import { loadSwiftCheck, type SwiftCheck } from './testing/swift-grammar.ts'

let problemsOf: SwiftCheck

beforeAll(async () => {
  problemsOf = await loadSwiftCheck()
})

test.each(Object.keys(contractSets))(
  'the Swift of %s parses, and no name is a word of the language',
  (set) => {
    const { files } = generate('swift', contractSets[set] ?? [], { environment: 'production' })
    for (const file of files) expect(problemsOf(file.content)).toEqual([])
  },
)

test.each([
  ['a brace too few', 'public struct A { public var b: String'],
  ['a string that does not end', 'let a = "b\nlet c = 1'],
  ['a property without a colon', 'public struct A { public var b String }'],
  ['a word of the language as a property', 'public struct A { public var class: String }'],
  ['a word of the language as a case', 'enum A: String { case default = "x" }'],
  ['a word of the language as a parameter', 'func a(in: String) {}'],
  ['a word of the language as a type', 'public struct protocol {}'],
  ['a word of the language after a dot', 'let a = b.class'],
])('the check itself notices %s', (_, source) => {
  expect(problemsOf(source)).not.toEqual([])
})

test('the check itself has nothing against words of the language in back-ticks', () => {
  expect(problemsOf('public struct A { public var `class`: String }\nlet a = b.`default`')).toEqual([])
})
