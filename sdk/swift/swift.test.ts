import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createContract } from '@assay/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import { swiftVersion, testSwift } from '../../scripts/swift.ts'
import { loadSwiftCheck, type SwiftCheck } from '../../server/src/registry/codegen/testing/swift-grammar.ts'
import { startWorld } from '../../server/src/testing/harness.ts'

const home = import.meta.dirname
const read = (path: string) => readFileSync(join(home, path), 'utf8')
const sources = globSync('{Package.swift,Sources/**/*.swift,Tests/**/*.swift}', { cwd: home }).toSorted()
const code = sources
  .filter((path) => path.startsWith('Sources/'))
  .map(read)
  .join('\n')
const java = globSync('../java/src/main/java/dev/assay/*.java', { cwd: home }).map(read).join('\n')

let check: SwiftCheck
beforeAll(async () => {
  check = await loadSwiftCheck()
})

/** The grammar knows no conditions of the compiler; words such as `Any` and `for` are names where Swift allows it. */
const syntaxErrors = (source: string) =>
  check(source.replaceAll(/^\s*#\w+.*$/gm, '')).filter(
    (found) => !found.endsWith('is a word of the language'),
  )

test('every source is Swift by its grammar', () => {
  expect(sources.length).toBeGreaterThan(8)
  for (const path of sources) expect(syntaxErrors(read(path)), path).toEqual([])
  expect(syntaxErrors('let x = = 1')).not.toEqual([])
})

// Without a compiler the package is read, not compiled: the guide says so.
if (swiftVersion() !== null) {
  test('the package compiles, its tests pass, and a product takes its events', {
    timeout: 900_000,
  }, async () => {
    const world = await startWorld()
    const folder = mkdtempSync(join(tmpdir(), 'assay-swift-'))
    try {
      const ours = await world.newWorkspace()
      const properties = { nth: { type: 'number', required: true } } as const
      await ours.call(createContract, { body: { key: 'card_moved', status: 'published', properties } })
      testSwift({ url: world.product.url, key: ours.keys.public }, folder)
    } finally {
      rmSync(folder, { recursive: true, force: true })
      await world.close()
    }
  })
}

describe('the surface is that of the Java SDK', () => {
  test.each([
    'track',
    'page',
    'screen',
    'identify',
    'reset',
    'setConsent',
    'onForeground',
    'onBackground',
    'flush',
    'close',
  ])('%s', (name) => {
    expect(java).toMatch(new RegExp(`public [\\w<>, ]+ ${name}\\(`))
    expect(code).toMatch(new RegExp(`public func ${name}\\(`))
  })

  test.each(['consent', 'queued', 'losses', 'anonymousId'])('%s, as a property', (name) => {
    expect(java).toMatch(new RegExp(`public [\\w<>, ]+ ${name}\\(\\)`))
    expect(code).toMatch(new RegExp(`public var ${name}: `))
  })

  const numbersIn = (text: string | undefined) => (text ?? '').replaceAll('_', '').match(/\d+/g)?.map(Number)

  test('its bounds and pauses too', () => {
    const pausesMs = numbersIn(/PAUSES_MS = \{([^}]+)\}/.exec(java)?.[1])
    const pausesS = numbersIn(/pausesS: \[Double\] = \[([^\]]+)\]/.exec(code)?.[1])
    expect(pausesS?.map((seconds) => seconds * 1_000)).toEqual(pausesMs)
    for (const [ofJava, ofSwift] of [
      [/BATCH_EVENTS_MAX = ([^;]+);/, /batchEventsMax = (.+)$/m],
      [/BATCH_BYTES_MAX = ([^;]+);/, /batchBytesMax = (.+)$/m],
      [/EVENT_BYTES_MAX = ([^;]+);/, /eventBytesMax = (.+)$/m],
      [/PENDING_MAX = ([^;]+);/, /pendingMax = (.+)$/m],
      [/SESSION_MS = ([^;]+);/, /sessionMs: Int64 = (.+)$/m],
      [/FILE_BYTES_MAX = ([^;]+);/, /fileBytesMax = (.+)$/m],
      [/int eventsMax = ([^;]+);/, /queueEventsMax = (.+)$/m],
    ] as const) {
      const [inJava, inSwift] = [numbersIn(ofJava.exec(java)?.[1]), numbersIn(ofSwift.exec(code)?.[1])]
      expect(inSwift, String(ofSwift)).toEqual(inJava)
      expect(inSwift, String(ofSwift)).toBeDefined()
    }
  })

  test('and what it sends: the same members in the same calls', () => {
    for (const member of [
      'event',
      'event_id',
      'ts',
      'session_id',
      'anonymous_id',
      'user_id',
      'context',
      'sent_at',
    ]) {
      expect(java).toContain(`"${member}`.replace('"sent_at', '\\"sent_at'))
      expect(code).toContain(`"${member}`.replace('"sent_at', '\\"sent_at'))
    }
    const categories = (text: string) => [
      ...new Set(text.match(/"(?:ad|analytics|functionality|personalization)_\w+"/g)),
    ]
    expect(categories(code).toSorted()).toEqual(categories(java).toSorted())
  })
})

test('the version is that of the other SDKs', () => {
  const { version } = JSON.parse(read('../server/package.json'))
  expect(code).toContain(`version = "${version}"`)
})

test('nothing but Foundation is imported', () => {
  const imported = [...code.matchAll(/^import (\w+)/gm)].map(([, name]) => name)
  expect([...new Set(imported)].toSorted()).toEqual(['Foundation', 'FoundationNetworking'])
})
