import type { Verdict } from '@assay/contract'
import { rememberRecent } from '../platform/recent-cache.ts'
import { foldWord, isIdentifier, units } from './identifier-words.ts'

/** What an error says and where it comes from, without what changes from one occurrence or build to the next. */
type FoldedError = { title: string; culprit: string }

const nothing: FoldedError = { title: '', culprit: '' }

/** Of an event; both are empty for all that is not an error. */
export function foldedErrorOf({ name, properties }: Pick<Verdict, 'name' | 'properties'>): FoldedError {
  if (name !== 'error') return nothing
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { title: foldMessage(text(properties.message)), culprit: foldStack(text(properties.stack)) }
}

/** As much of a message as is looked at, and of what is left of it; the columns were as long before. */
const messageCharsMax = 1_000
const titleCharsMax = 200
/** Likewise of a stack: its three nearest frames. */
const stackCharsMax = 4_000
const framesMax = 3
const culpritCharsMax = 300

const month = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}'
const clock = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?(?:[.,][0-9]{1,9})?(?: ?[AP]M\\b)?'
const parts = '(?:[:.,][0-9]+)*'
const zone = '(?: (?:GMT|UTC)(?:[+-][0-9]{4})?)?(?: \\([^)]{3,50}\\))?'
const hexGroup = '[0-9a-fA-F]{1,4}'

/** A URL without scheme, host, query and fragment. Lengths are bounded, since anyone may send anything. */
const address =
  /\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}:\/\/[^/\s"'<>()?#]{0,255}([^\s"'<>()?#]*)(?:[?#][^\s"'<>()]*)?/g

/** In this order: what is longer first, so that nothing is left of it. */
const folds: readonly (readonly [RegExp, string])[] = [
  [/^(?:Uncaught |\(in promise\) |[A-Za-z.]{0,100}(?:Error|Exception): )+/, ''],
  [address, '$1'],
  [/(\/[^\s"'<>()?#]{0,255})\?[^\s"'<>()]*/g, '$1'],
  [
    /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,5}\.\p{L}{2,20}/gu,
    '<email>',
  ],
  [
    /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]*)?|\bdata:[a-z]+\/[^\s"')]+|(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{20,}==/g,
    '<n>',
  ],
  [
    new RegExp(
      `(?<![\\w-])[0-9]{1,4}-[0-9]{1,3}-[0-9]{1,4}(?:T[0-9]{1,3}${parts}| [0-9]{1,2}:[0-9]{2}${parts})?` +
        '(?:Z\\b|[+-][0-9]{2,3}:?[0-9]{2,3}\\b|(?![\\w-]))',
      'g',
    ),
    '<time>',
  ],
  [
    new RegExp(
      `\\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:${month} [0-9]{1,2}|[0-9]{1,2} ${month}),? [0-9]{4}` +
        `(?:,? ${clock}${zone})?`,
      'g',
    ),
    '<time>',
  ],
  [
    new RegExp(
      `\\b[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}(?:,? ${clock})?|\\b[0-9]{1,2}:[0-9:.]{2,12} ?[AaPp][Mm]\\b`,
      'g',
    ),
    '<time>',
  ],
  [
    new RegExp(
      `(?<![\\w:])(?:(?:${hexGroup}:){7}${hexGroup}|[0-9a-fA-F]{0,3}[0-9][0-9a-fA-F]{0,3}(?::${hexGroup}){0,6}:` +
        `(?::${hexGroup}){1,6}|[0-9a-fA-F]{2}(?::[0-9a-fA-F]{2}){5})(?![\\w:])`,
      'g',
    ),
    '<n>',
  ],
  [/(?<=^|[\s([=:,])[+-](?=[0-9])/g, ''],
  [/\p{Sc} ?-?[0-9]+(?:[.,][0-9]+)*|(?<![\w.,-])[0-9]+(?:[.,][0-9]+)* ?[€£¥₺₹₽₩](?![0-9])/gu, '<n>'],
  // A hash of a build may begin with a number, and what follows a point in a measure has few digits.
  [/\bv?[0-9]+(?:[.,:][0-9]+)+(?:[eE][+-]?[0-9]+)?(?!\w)/g, '<n>'],
  [new RegExp(`\\b[0-9]+[.,][0-9]{1,6}(?=(?:${units})(?!\\w))`, 'gi'), '<n>'],
]

/** What an error says. */
export function foldMessage(message: string): string {
  let text = message.slice(0, messageCharsMax).replace(quoted, foldQuoted)
  for (const [shape, instead] of folds) text = text.replace(shape, instead)
  return text
    .replace(words, (word, at: number) => (isStatus(text, word, at) ? word : foldWord(word)))
    .replace(/<n>(?:(?:, ?|[.:])<n>)+/g, '<n>')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, titleCharsMax)
    .toWellFormed()
}

const words = /[A-Za-z0-9_-]+/g

/** Opened behind a space or a bracket: an apostrophe opens nothing. */
const quoted = /(?<=^|[\s([{=:,])(["'`])((?:(?!\1).){3,300}?)\1/gs

/** One quoted word may be a name in the program; with spaces or brackets it is a person's text. */
function foldQuoted(all: string, mark: string, inside: string): string {
  return /[\s<>{}|\\]/.test(inside) && !/^<(?:n|email|time)>$/.test(inside) ? `${mark}<text>${mark}` : all
}

const statusBefore = new RegExp(
  '\\b(?:(?:status|http|response|code|error|exit)(?:[ _-]?(?:code|text|of|with|is|was|error|status))*' +
    '(?:/(?:[0-9.]+|<n>))?|(?:server|api|upstream|gateway|endpoint|backend) ' +
    '(?:returned|responded|answered|replied)(?: with)?(?: an?)?)[ :=#"\'(![]{0,4}$',
  'i',
)
const statusAfter = new RegExp(
  '^[ (]{1,2}(?:bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|' +
    'request timeout|conflict|gone|payload too large|unprocessable|too many requests|internal server error|' +
    'not implemented|bad gateway|service unavailable|gateway time)',
  'i',
)
/** How far the words about a status reach. */
const nearbyChars = 40

/** Statuses and codes of three digits say what went wrong: a 404 is another problem than a 500. */
function isStatus(text: string, word: string, at: number): boolean {
  if (!/^[1-5][0-9]{2}$/.test(word)) return false
  const end = at + word.length
  return (
    statusBefore.test(text.slice(Math.max(0, at - nearbyChars), at)) ||
    statusAfter.test(text.slice(end, end + nearbyChars))
  )
}

/** What stands between the name of a file and its ending, where the hash of a build is. */
const beforeEnding = new RegExp(
  '[.-]([A-Za-z0-9_-]{1,80})((?:\\.(?:chunk|bundle|min|esm|module|prod|production))*' +
    '\\.(?:[cm]?jsx?|tsx?|css|vue|svelte|wasm))\\b',
  'g',
)

/** Where an error comes from: the nearest frames. */
export function foldStack(stack: string): string {
  return stack
    .slice(0, stackCharsMax)
    .split('\n')
    .filter((line) => /:[0-9]+[)]?$/.test(line))
    .slice(0, framesMax)
    .map(foldFrame)
    .join(' < ')
    .slice(0, culpritCharsMax)
    .toWellFormed()
}

/** Builds number the names that clash, so that digits say nothing here, and give names of one to three letters. */
function foldFrame(frame: string): string {
  return frame
    .replace(/^\s*(?:at )?/, '')
    .replace(address, '$1')
    .replace(/^[A-Za-z0-9_$.]{1,3}(?: [(]|@)/, '')
    .replace(/(?::[0-9]+)+[)]?$/, '')
    .replace(beforeEnding, (all, part: string, ending: string) => (/[0-9A-Z]/.test(part) ? ending : all))
    .replace(words, (word) => (isIdentifier(word) ? '<n>' : word.replace(/[0-9]+/g, '<n>')))
    .replace(/[(@]/g, ' ')
}

/**
 * What is stored may have been folded by an earlier release, which left more: something is put in place of what it
 * folded, and all of it folded again. What was folded as now stays as it is.
 */
export function foldAgain({ title, culprit }: FoldedError): FoldedError {
  return { title: titleAgain(title), culprit: culpritAgain(culprit) }
}

/** The kinds of two large sites, which are needed again with every read. */
const rememberedMax = 10_000
const titleAgain = rememberRecent((title) => foldMessage(unfolded(title)), rememberedMax)
const culpritAgain = rememberRecent(
  (culprit) => (culprit === '' ? '' : culprit.split(' < ').map(unfolded).map(foldFrame).join(' < ')),
  rememberedMax,
)

function unfolded(text: string): string {
  return text
    .replace(/<n>|<id>/g, '000')
    .replaceAll('<email>', 'a@b.example')
    .replaceAll('<time>', '2000-01-01')
}
