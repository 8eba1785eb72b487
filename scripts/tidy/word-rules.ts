import { testFile, type Violation } from './file-rules.ts'
import type { Repository } from './repository-rules.ts'
import { lineAt } from './source-text.ts'

/** Words that readers of the docs would have to look up, and the word of the field. */
export const wordsToAvoid: readonly (readonly [word: RegExp, use: string])[] = [
  [/\bwhoever\b/gi, 'anyone who, or the person'],
  [/\bnobody(?:'s)?\b/gi, 'no one, or say what is missing'],
  [/\bfor want of\b/gi, 'without'],
  [/\banew\b/gi, 'again'],
  [/\bfor ever\b/gi, 'forever'],
  [/\bdear\b/gi, 'expensive'],
  [/\bheld\b/gi, 'quarantined, or stored'],
  [/\b(?:tells?|telling|told)\b/gi, 'report, log, show or send'],
  [/\breckon\w*/gi, 'calculate'],
  [/\bmend(?:s|ed|ing)?\b/gi, 'fix'],
  [/\bdoors?\b/gi, 'endpoint'],
  [/\bstreets?\b/gi, 'write path, or read path'],
  [/\brooms?\b/gi, 'module in code, page in the dashboard, space on a disk'],
  [/\bby (?:itself|themselves)\b/gi, 'automatically, or alone'],
  [/\bbeside\b/gi, 'next to'],
  [/\blately\b/gi, 'recently'],
]

/** Decisions keep the words of their time. */
const document = /^(?:README\.md|CONTRIBUTING\.md|docs\/(?!decisions\/).*\.md)$/
/** Names of the API and addresses are not prose. */
const notProse = /```[\s\S]*?```|`[^`\n]*`|\]\([^)\n]*\)/g

const namedSource =
  /^(?:(?:server|engine-portable|contract|cli)\/src|sdk\/\w+\/src)\/(?:.*\/)?([\w-]+)\.tsx?$/
const gerundOrParticiple = /(?:ing|ed|(?:^|-)(?:kept|told|given|held|laid|made|found|taken|written))$/
/** End like one and are nouns. */
const nouns = ['encoding', 'mapping', 'pricing', 'setting', 'string', 'testing', 'feed', 'seed', 'speed']
/** Older than the rule. Rename them when you change them, and delete their line; add none. */
export const filesToRename: readonly string[] = [
  'cli/src/registry/observed.ts',
  'cli/src/registry/writing.ts',
  'sdk/browser/src/replay/masking.ts',
  'sdk/server/src/webhooks/normalised.ts',
  'sdk/server/src/webhooks/signing.ts',
  'server/src/destinations/outgoing.ts',
  'server/src/http/access/audited.ts',
  'server/src/http/outgoing.ts',
  'server/src/privacy/testing/planted.ts',
  'server/src/registry/backfills/superseded.ts',
  'server/src/registry/codegen/python-reserved.ts',
  'server/src/registry/contracts/held.ts',
  'server/src/registry/proposals/unregistered.ts',
  'server/src/testing/hostile/acknowledged.ts',
  'server/src/testing/told.ts',
]

export function checkWords({ files, read }: Repository): Violation[] {
  return [
    ...files.filter((file) => document.test(file)).flatMap((file) => checkDocument(file, read(file))),
    ...files.filter(isGerundOrParticiple).map((file) => ({
      file,
      line: 1,
      rule: 'file name',
      instead: 'name the file by a noun: loader, not loading; report-cache, not kept',
    })),
  ]
}

function checkDocument(file: string, text: string): Violation[] {
  const prose = text.replace(notProse, (part) => part.replace(/[^\n]/g, ' '))
  return wordsToAvoid.flatMap(([word, use]) =>
    [...prose.matchAll(word)].map(({ 0: found, index }) => ({
      file,
      line: lineAt(text, index),
      rule: 'plain words',
      instead: `for "${found}" write: ${use}`,
    })),
  )
}

function isGerundOrParticiple(file: string): boolean {
  const name = testFile.test(file) ? undefined : namedSource.exec(file)?.[1]
  if (name === undefined || filesToRename.includes(file)) return false
  return gerundOrParticiple.test(name) && !nouns.includes(name.split('-').at(-1) ?? '')
}
