import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { codeLanguages, type EventContract } from '@assay/contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyCharacter } from '../../testing/any-character.ts'
import { generate } from './generate.ts'
import { goldenContracts } from './testing/golden-contracts.ts'
import { tortureContracts } from './testing/torture-contracts.ts'

const environment = 'production'

function minimal(more: Partial<EventContract>): EventContract {
  return {
    key: 'thing_done',
    name: 'thing_done',
    version: '1-0-0',
    status: 'published',
    description: 'Done.',
    properties: {},
    additional: 'warn',
    surfaces: ['web'],
    purpose: 'analytics_storage',
    ...more,
  }
}

/** The same contracts with the members of every object in another order. */
function reordered<Value>(value: Value): Value
function reordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reordered)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([name, member]) => [name, reordered(member)]),
  )
}

describe.each(codeLanguages)('%s', (language) => {
  test('the output for the golden contracts is the reviewed one', async () => {
    for (const file of generate(language, goldenContracts, { environment }).files) {
      await expect(file.content).toMatchFileSnapshot(join(import.meta.dirname, 'golden', language, file.path))
    }
  })

  test('neither the order of the contracts nor that of their members changes a byte', () => {
    const once = generate(language, goldenContracts, { environment })
    fc.assert(
      fc.property(
        fc.shuffledSubarray([...goldenContracts], { minLength: goldenContracts.length }),
        (shuffled) => {
          expect(generate(language, shuffled, { environment })).toEqual(once)
          expect(generate(language, reordered(shuffled), { environment })).toEqual(once)
        },
      ),
      { numRuns: 30 },
    )
  })

  test('names that clash get the same identifiers whatever else is in the registry and in whatever order', () => {
    const once = generate(language, tortureContracts, { environment })
    expect(generate(language, reordered(tortureContracts.toReversed()), { environment })).toEqual(once)
  })

  test('any registry of any texts is generated without a failure, and twice the same', () => {
    const rule = fc.record({
      type: fc.constantFrom(
        'string' as const,
        'number' as const,
        'boolean' as const,
        'array' as const,
        'object' as const,
      ),
      required: fc.boolean(),
      description: fc.string({ unit: anyCharacter }),
      enum: fc.array(fc.oneof(fc.string({ unit: anyCharacter }), fc.double(), fc.boolean()), {
        maxLength: 4,
      }),
    })
    const contract = fc
      .record({
        key: fc.string({ unit: anyCharacter, maxLength: 12 }),
        description: fc.string({ unit: anyCharacter }),
        version: fc.string({ unit: anyCharacter, maxLength: 6 }),
        additional: fc.constantFrom('accept' as const, 'warn' as const),
        properties: fc.dictionary(fc.string({ unit: anyCharacter, maxLength: 12 }), rule, { maxKeys: 5 }),
      })
      .map((drawn) => minimal({ ...drawn, name: drawn.key }))
    const registry = fc.uniqueArray(contract, { selector: ({ key }) => key, maxLength: 6 })
    fc.assert(
      fc.property(registry, (contracts) => {
        const once = generate(language, contracts, { environment })
        expect(generate(language, contracts.toReversed(), { environment })).toEqual(once)
      }),
    )
  })

  test('a file carries the hash of its content, and its head names the registry and the environment', () => {
    const { files, registry_hash } = generate(language, goldenContracts, { environment: 'staging' })
    for (const file of files) {
      expect(file.sha256).toBe(createHash('sha256').update(file.content).digest('hex'))
    }
    const head = files[0]?.content.split('\n').slice(0, 4).join('\n')
    expect(head).toContain(registry_hash)
    expect(head).toContain('staging')
  })

  test('drafts are left out of production and marked elsewhere; archived contracts are nowhere', () => {
    const contracts = [
      minimal({ status: 'draft' }),
      minimal({ status: 'archived', key: 'gone', name: 'gone' }),
    ]
    expect(generate(language, contracts, { environment })).toEqual(generate(language, [], { environment }))
    const mark = 'Draft: the gate does not know it until it is published.'
    for (const each of ['staging', 'development'] as const) {
      const { files, registry_hash } = generate(language, contracts, { environment: each })
      expect(files.some(({ content }) => content.includes(mark))).toBe(true)
      expect(files.some(({ content }) => content.includes('gone'))).toBe(false)
      expect(registry_hash).not.toBe(generate(language, contracts, { environment }).registry_hash)
    }
  })

  test('a draft stands in for the version that it follows, and not for one that has passed it', () => {
    const inForce = minimal({ version: '1-1-0' })
    const versions = (draft: string) => {
      const contracts = [minimal({ version: draft, status: 'draft' }), inForce]
      const { files } = generate(language, contracts, { environment: 'staging' })
      return ['1-0-0', '1-1-0', '1-2-0'].filter((version) =>
        files.some(({ content }) => content.includes(version)),
      )
    }
    expect(versions('1-2-0')).toEqual(['1-2-0'])
    expect(versions('1-0-0')).toEqual(['1-1-0'])
  })

  test('a surface leaves out what is not sent from there', () => {
    const contracts = [
      minimal({ key: 'on_web', name: 'on_web', surfaces: ['web'] }),
      minimal({ key: 'on_server', name: 'on_server', surfaces: ['server', 'ios'] }),
      minimal({ key: 'anywhere', name: 'anywhere', surfaces: [] }),
    ]
    const keys = (surface: 'web' | 'ios' | undefined) => {
      const { files } = generate(language, contracts, { environment, surface })
      return ['on_web', 'on_server', 'anywhere'].filter((key) =>
        files.some(({ content }) => content.includes(key)),
      )
    }
    expect(keys(undefined)).toEqual(['on_web', 'on_server', 'anywhere'])
    expect(keys('web')).toEqual(['on_web', 'anywhere'])
    expect(keys('ios')).toEqual(['on_server', 'anywhere'])
  })

  test('of several live versions the highest by number is used, in any order', () => {
    const versions = ['1-9-0', '1-10-0', '1-2-30'].map((version) => minimal({ version }))
    const highest = generate(language, [minimal({ version: '1-10-0' })], { environment })
    expect(generate(language, versions, { environment })).toEqual(highest)
    expect(generate(language, versions.toReversed(), { environment })).toEqual(highest)
  })

  test('no description can put a line of its own into the code', () => {
    const payload = 'INJECTED_STATEMENT()'
    const breakouts = ['*/', '"""', "'''", '\n', '\r', '\u2028', '\u0085', '\\', '"', '`', '*\\/'].flatMap(
      (mark) => [`${mark}${payload}`, `${mark}\n${payload}\n${mark}`],
    )
    const contracts = breakouts.map((text, index) =>
      minimal({ key: `event_${index}`, name: `event_${index}`, description: text, owner: text }),
    )
    for (const { content } of generate(language, contracts, { environment }).files) {
      const code = content.split(/[\n\r\u2028\u2029\u0085]/).filter((line) => line.trim() === payload)
      // Inside a docstring a line has no mark of its own; the Python test compiles and runs these.
      if (language !== 'python') expect(code).toEqual([])
    }
  })
})

describe('the hash of the registry', () => {
  const hash = (contracts: readonly EventContract[]) =>
    generate('typescript', contracts, { environment }).registry_hash

  test('is the same for all languages and environments', () => {
    const hashes = codeLanguages.flatMap((language) =>
      (['production', 'development'] as const).map(
        (each) => generate(language, goldenContracts, { environment: each }).registry_hash,
      ),
    )
    expect(new Set(hashes).size).toBe(1)
  })

  test('changes with any part of a live contract', () => {
    const changed = [
      minimal({}),
      minimal({ description: 'Other.' }),
      minimal({ status: 'deprecated' }),
      minimal({ version: '1-0-1' }),
      minimal({ additional: 'accept' }),
      minimal({ properties: { a: { type: 'string' } } }),
      minimal({ properties: { a: { type: 'string', enum: ['x', 'y'] } } }),
      minimal({ properties: { a: { type: 'string', enum: ['y', 'x'] } } }),
    ]
    expect(new Set(changed.map((contract) => hash([contract]))).size).toBe(changed.length)
  })

  test('does not depend on what a store keeps besides the contract, nor on members without a value', () => {
    const stored = { ...minimal({}), created_at: '2026-01-01T00:00:00Z', owner: undefined }
    // boundary: a row with an absent owner, as a store that knows nothing of this type would give it
    expect(hash([stored as unknown as EventContract])).toBe(hash([minimal({})]))
  })

  test('is taken as given when the caller knows it', () => {
    const given = 'f'.repeat(64)
    const code = generate('python', goldenContracts, { environment, registryHash: given })
    expect(code.registry_hash).toBe(given)
    expect(code.files[0]?.content).toContain(given)
  })
})

test('two contracts that claim one event name are refused, as no code could distinguish them', () => {
  const contracts = [minimal({ key: 'a', name: 'same' }), minimal({ key: 'b', name: 'same' })]
  expect(() => generate('typescript', contracts, { environment })).toThrow('"same"')
})
