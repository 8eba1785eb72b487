import { describe, expect, test } from 'vitest'
import { checkWords, wordsToAvoid } from './word-rules.ts'

/** Checks these files and answers `file:line rule`. */
function check(files: Record<string, string>): string[] {
  const repository = { files: Object.keys(files), read: (path: string) => files[path] ?? '' }
  return checkWords(repository).map(({ file, line, rule }) => `${file}:${line} ${rule}`)
}

describe('plain words', () => {
  test.each([
    'Whoever asks gets an answer.',
    'It is nobody’s visit.',
    'Excluded for want of a rate.',
    'It is made anew.',
    'Stored for ever.',
    'After a dear load it pauses.',
    'The event is held.',
    'The sender is told of it.',
    'Rates are reckoned once.',
    'Mend the errors that cost most.',
    'An event comes in by a door.',
    'The write street.',
    'Each room has routes.',
    'It closes by itself.',
    'A file beside the log.',
    'Those who were seen lately.',
    'Somebody has to decide.',
    'It goes on after a restart.',
    'The version in force.',
    'The person it was born to.',
    'The commonest reasons.',
    'A rehearsal rolls back.',
    'Names laid over the events.',
    'Taken from the shelf.',
    'A chore of the night.',
  ])('a document may not say: %s', (sentence) => {
    for (const file of ['README.md', 'CONTRIBUTING.md', 'docs/reads.md', 'docs/problems/internal.md']) {
      expect(check({ [file]: `# Title\n\n${sentence}` })).toEqual([`${file}:3 plain words`])
    }
  })

  test('each word comes with the word to use', () => {
    const [found] = checkWords({ files: ['README.md'], read: () => 'Made anew.' })
    expect(found?.instead).toBe('for "anew" write: again')
    for (const [, use] of wordsToAvoid) expect(use).not.toBe('')
  })

  test.each([
    'The filter `state=held` and the field `still_held`.',
    '```sh\ncurl "$base/v1/quarantine?state=held"\n```',
    'See [the page](rooms/told.md).',
    'Headroom, outdoors, holders and amendments for every reader.',
  ])('names of the API, addresses and longer words are left alone: %s', (text) => {
    expect(check({ 'docs/a.md': text })).toEqual([])
  })

  test('decisions, the change log and generated code keep their words', () => {
    const text = '// nobody stays'
    expect(
      check({ 'docs/decisions/0001-a.md': text, 'CHANGELOG.md': text, 'server/src/golden/a.ts': text }),
    ).toEqual([])
  })
})

describe('plain words in sources', () => {
  test.each([
    '// Written anew.',
    '/** Written\n * anew. */',
    "log.info('The event is held.')",
    ['fail(`$', '{count} events are held.`)'].join(''),
    "test('a sender is told why', () => {})",
    ['<p>{`Nobody came in $', '{range}.`}</p>'].join(''),
  ])('a comment, a message or a title may not say: %s', (text) => {
    for (const file of ['server/src/a.ts', 'cli/src/a.test.ts', 'dashboard/src/a.tsx', 'contract/src/a.ts']) {
      expect(check({ [file]: text })).toHaveLength(1)
    }
  })

  test.each([
    'const held = rooms.filter(({ outdoors }) => told(outdoors))',
    "const state = 'held'",
    '// The state `held` of the API.',
    "sql(`SELECT held FROM quarantine WHERE state = 'held'`)",
    "const columns = 'event_id, person_id, held'",
  ])('names in code, values and statements are left alone: %s', (text) => {
    expect(check({ 'server/src/a.ts': text })).toEqual([])
  })
})

describe('plain names in code', () => {
  test.each([
    ['const bornId = 1', 'original'],
    ['class Rehearsed extends Error {}', 'dryRun'],
    ['type Needs = { doors: readonly string[] }', 'endpoints'],
    ['function openBookShelf() {}', 'assets'],
    ['const MAX_STREETS = 3', 'paths'],
  ])('%s', (text, use) => {
    const [found] = checkWords({ files: ['server/src/a.ts'], read: () => text })
    expect(found?.instead.endsWith(`write: ${use}`)).toBe(true)
  })

  test.each([
    'const stubbornness = choreography',
    "const text = 'the door of a house'",
    'const shelter = newborns',
  ])('longer words and values are left alone: %s', (text) => {
    expect(check({ 'server/src/a.ts': text.replace('the door', 'x_door') })).toEqual([])
  })
})

describe('file names', () => {
  test.each([
    'server/src/ingest/observing.ts',
    'server/src/analytics/kept.ts',
    'server/src/analytics/cache/answers-kept.ts',
    'contract/src/asked.ts',
    'cli/src/told.ts',
    'sdk/browser/src/given.ts',
    'server/src/sites/judged.ts',
  ])('%s is no noun', (file) => {
    expect(check({ [file]: '' })).toEqual([`${file}:1 file name`])
  })

  test.each([
    'server/src/ingest/loader.ts',
    'server/src/identity/graph/mapping.ts',
    'contract/src/pricing.ts',
    'server/src/platform/property-seed.ts',
    'server/src/ingest/held-events.ts',
    'server/src/http/closing.test.ts',
    'scripts/longest-first.ts',
    'dashboard/src/pages/loading.tsx',
  ])('%s is fine', (file) => {
    expect(check({ [file]: '' })).toEqual([])
  })
})
