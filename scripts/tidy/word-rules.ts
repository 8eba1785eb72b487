import { committedOutput, testFile, type Violation } from './file-rules.ts'
import type { Repository } from './repository-rules.ts'
import { lineAt, readSource } from './source-text.ts'

/** Words that make a reader stop, each with the word to use. Checked in documents, comments and messages. */
export const wordsToAvoid: readonly (readonly [word: RegExp, use: string])[] = [
  [/\bwhoever\b/gi, 'anyone who, or the person'],
  [/\bnobody(?:['’]s)?\b/gi, 'no one, or say what is missing'],
  [/\b(?:some|every|any)body\b/gi, 'someone, everyone, anyone, or the role: caller, visitor, admin'],
  [/\bfor want of\b/gi, 'without'],
  [/\b(?:anew|once more)\b/gi, 'again'],
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
  [/\b(?:go|goes|went|going) on\b/gi, 'continue'],
  [/\bin force\b/gi, 'live, or in effect'],
  [/\bborn\b/gi, 'original, or created'],
  [/\bcommonest\b/gi, 'most common'],
  [/\brehears\w*/gi, 'dry run'],
  [/\blaid over\b/gi, 'overlaid'],
  [/\b(?:shelf|shelves)\b/gi, 'assets, or cache'],
  [/\bchores?\b/gi, 'job'],
]

/** Words that were the product's own, and the field's word that names in code have now. */
const namesToAvoid: Readonly<Record<string, string>> = {
  born: 'original',
  rehearse: 'dryRun',
  rehearsed: 'dryRun',
  rehearsal: 'dryRun',
  reckon: 'calculate',
  reckoner: 'worker',
  shelf: 'assets',
  shelve: 'store',
  shelved: 'asset',
  street: 'path',
  streets: 'paths',
  door: 'endpoint',
  doors: 'endpoints',
  chore: 'job',
  chores: 'jobs',
}
const avoidedName = /[\w$]*(?:born|rehears|reckon|shel[fv]|street|door|chore)[\w$]*/gi

/** Decisions keep the words of their time. */
const document = /^(?:(?:cli\/|sdk\/\w+\/)?README\.md|CONTRIBUTING\.md|docs\/(?!decisions\/).*\.md)$/
/** Names of the API and addresses are not prose. */
const notProse = /```[\s\S]*?```|`[^`\n]*`|\]\([^)\n]*\)/g

/** What tools wrote, and the rule that has to name the words. */
const source = /\.tsx?$/
const wordList = /^scripts\/tidy\/word-rules(?:\.test)?\.ts$/
/** Statements, lists of columns and keys look like text and are code. */
const notMessage = /\b(?:SELECT|INSERT|UPDATE|DELETE|ALTER|FROM|WHERE|AND|AS)\b|\w_\w|^\S*$/

const namedSource =
  /^(?:(?:server|engine-portable|contract|cli)\/src|sdk\/\w+\/src)\/(?:.*\/)?([\w-]+)\.tsx?$/
const gerundOrParticiple = /(?:ing|ed|(?:^|-)(?:kept|told|given|held|laid|made|found|taken|written))$/
/** End like one and are nouns. */
const nouns = ['encoding', 'mapping', 'pricing', 'setting', 'string', 'testing', 'feed', 'seed', 'speed']

export function checkWords({ files, read }: Repository): Violation[] {
  return [
    ...files.filter((file) => document.test(file)).flatMap((file) => checkDocument(file, read(file))),
    ...files.filter(isWordedSource).flatMap((file) => checkSource(file, read(file))),
    ...files.filter(isGerundOrParticiple).map((file) => ({
      file,
      line: 1,
      rule: 'file name',
      instead: 'name the file by a noun: loader, not loading; report-cache, not kept',
    })),
  ]
}

function checkDocument(file: string, text: string): Violation[] {
  return findWords(text).map((found) => refuse(file, text, found))
}

/** Names, comments, and the sentences in strings: messages, labels, titles of tests. */
function checkSource(file: string, text: string): Violation[] {
  const { code, comments, strings } = readSource(file, text)
  const messages = strings.filter(({ value }) => !notMessage.test(value))
  return [
    ...findNames(code),
    ...findWords(comments),
    ...messages.flatMap(({ start, value }) =>
      findWords(value).map((found) => ({ ...found, index: start + found.index })),
    ),
  ].map((found) => refuse(file, text, found))
}

function isWordedSource(file: string): boolean {
  return source.test(file) && !committedOutput.test(file) && !wordList.test(file)
}

type FoundWord = { word: string; use: string; index: number }

function findWords(text: string): FoundWord[] {
  const prose = text.replace(notProse, (part) => part.replace(/[^\n]/g, ' '))
  return wordsToAvoid.flatMap(([pattern, use]) =>
    [...prose.matchAll(pattern)].map(({ 0: word, index }) => ({ word, use, index })),
  )
}

/** Names of code, by the words that they are made of. */
function findNames(code: string): FoundWord[] {
  return [...code.matchAll(avoidedName)].flatMap(({ 0: name, index }) => {
    const words = name.split(/[_$\d]+|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase())
    const use = words.map((word) => namesToAvoid[word]).find((better) => better !== undefined)
    return use === undefined ? [] : [{ word: name, use, index }]
  })
}

function refuse(file: string, text: string, { word, use, index }: FoundWord): Violation {
  return { file, line: lineAt(text, index), rule: 'plain words', instead: `for "${word}" write: ${use}` }
}

function isGerundOrParticiple(file: string): boolean {
  const name = testFile.test(file) ? undefined : namedSource.exec(file)?.[1]
  if (name === undefined) return false
  return gerundOrParticiple.test(name) && !nouns.includes(name.split('-').at(-1) ?? '')
}
