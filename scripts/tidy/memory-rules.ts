import { testFile, testingFolder, type Violation } from './file-rules.ts'
import type { SourceText } from './source-text.ts'

/** What runs as long as the server does. */
const product = /^(?:server|engine-portable|contract)\/src\//

/** Classes whose objects go with the work that made them, and why they cannot grow without end before. */
const shortLived: readonly { path: RegExp; why: string }[] = [
  { path: /^server\/src\/platform\/recent-map\.ts$/, why: 'it is the bound' },
  {
    path: /^server\/src\/identity\/graph\/(?:growing-graph|neighbourhood|partition)\.ts$/,
    why: 'the people around one change of the ledger, for that change',
  },
  { path: /^server\/src\/errors\/impact\/baseline\.ts$/, why: 'one answer, by the cells of its model' },
  {
    path: /^server\/src\/registry\/proposals\/replay\.ts$/,
    why: 'one trial of a contract, by codes of issues',
  },
  { path: /^server\/src\/demo\/traffic\//, why: 'one run of made-up traffic' },
]

/**
 * Declarations of a map or set that outlives the call that made it: at the top of a file, in a class, or in a function
 * that makes a part of the product, which by its name creates, opens, starts, remembers or tracks something. A constant
 * is typed as read-only and is not meant. Maps inside of other values and lists are not seen.
 */
const makes = String.raw`\s*(?::(?!\s*Readonly)[^=\n]*)?=\s*new (?:Map|Set)\b`
const atTop = new RegExp(String.raw`^(?:export )?(?:const|let) [\w$]+${makes}`)
const modifiers = '(?:(?:private|protected|public|readonly|static) )*'
const inClass = new RegExp(
  String.raw`^ {2}${modifiers}#?[\w$]+${makes}|^ {2}${modifiers}#[\w$]+\??: (?:Map|Set)<`,
)
const inFactory = new RegExp(String.raw`^ {2}(?:const|let) [\w$]+${makes}`)
const factoryHead =
  /^(?:export )?(?:async function|function|const) (?:create|open|start|remember|track)[A-Z]\w*/
const classHead = /^(?:export )?(?:abstract )?class /

const reason = /\bbounded: \S/i

/** Every map in memory has a bound: it is a `RecentMap`, or a comment next to it says what bounds it. */
export function checkMemory({ path, code, comments }: SourceText): Violation[] {
  if (!product.test(path) || testFile.test(path) || testingFolder.test(path)) return []
  if (shortLived.some((one) => one.path.test(path))) return []
  const lines = code.split('\n')
  const notes = comments.split('\n')
  let within: RegExp = atTop
  return lines.flatMap((line, index) => {
    if (factoryHead.test(line)) within = inFactory
    else if (classHead.test(line)) within = inClass
    else if (/^(?:\w|\}$)/.test(line)) within = atTop
    if (!within.test(line) || isReasoned(lines, notes, index)) return []
    const instead =
      'use RecentMap, or say next to it what bounds its entries and their size: // bounded: <by what>'
    return [{ file: path, line: index + 1, rule: 'unbounded map', instead }]
  })
}

/** On the line itself, or in the comment right above it. */
function isReasoned(lines: readonly string[], notes: readonly string[], index: number): boolean {
  if (reason.test(notes[index] ?? '')) return true
  let above = index - 1
  while (above >= 0 && lines[above]?.trim() === '' && notes[above]?.trim() !== '') above -= 1
  return reason.test(notes.slice(above + 1, index).join(' '))
}
