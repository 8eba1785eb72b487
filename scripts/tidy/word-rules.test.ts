import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkWords, filesToRename, wordsToAvoid } from './word-rules.ts'

const root = join(import.meta.dirname, '../..')

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

  test('decisions, the change log and code keep their words', () => {
    const text = '// nobody is told'
    expect(
      check({ 'docs/decisions/0001-a.md': text, 'CHANGELOG.md': text, 'server/src/a.ts': text }),
    ).toEqual([])
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
    'dashboard/src/rooms/loading.tsx',
  ])('%s is fine', (file) => {
    expect(check({ [file]: '' })).toEqual([])
  })

  test('a file on the list of names to change is still there', () => {
    expect(filesToRename.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})
