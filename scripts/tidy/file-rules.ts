import { findFunctions, lineAt, openingLine, type SourceText } from './source-text.ts'

export type Violation = { file: string; line: number; rule: string; instead: string }

export const testFile = /\.test\.tsx?$/
export const testingFolder = /(?:^|\/)testing\//

const sizes = { fileLines: 500, longFileLines: 800, functionLines: 70, lineLength: 120 }
/** Long by nature: tables of data, all words of a page, committed output, steps of a schema, tests. */
const longByNature = [
  testFile,
  /(?:^|\/)(?:data|golden|migrations|vectors)\//,
  /(?:-(?:data|table)|\/src\/text)\.ts$/,
]

const world = ['environment', 'clock', 'randomness', 'console'] as const

/** Where the outside world may be touched, and why there; everywhere else it is passed in. */
const allowances: readonly { path: RegExp; may: readonly string[]; why: string }[] = [
  { path: /^server\/src\/config\.ts$/, may: ['environment'], why: 'reads it once, for everyone' },
  {
    path: /^server\/src\/main\.ts$/,
    may: ['environment'],
    why: 'says where threads find compiled files',
  },
  {
    path: /^server\/src\/(?:main|app\/process)\.ts$/,
    may: ['clock', 'randomness', 'console'],
    why: 'it is the process',
  },
  { path: /^cli\/src\/main\.ts$/, may: world, why: 'it is the process of the command' },
  {
    path: /^sdk\/browser\/src\/world\.ts$/,
    may: ['console', 'randomness'],
    why: 'warns the developer of the page, and makes the ids that are passed in',
  },
  { path: /(?:^|\/)clock\.ts$/, may: ['clock'], why: 'the clock that is passed in' },
  { path: /^server\/src\/store\/engine\//, may: ['clock'], why: 'locks and time-outs between processes' },
  { path: /^(?:bench|examples|scripts)\//, may: world, why: 'programs of their own, not part of the server' },
  { path: /\.config\.ts$/, may: world, why: 'settings of a tool' },
  { path: testFile, may: [...world, 'sql'], why: 'a test makes its world and looks into the stores itself' },
  { path: testingFolder, may: [...world, 'sql'], why: 'the same, shared by tests' },
  {
    path: /^contract\/src\/questions\/sql-examples\.ts$/,
    may: ['sql'],
    why: 'queries for analysts to begin with',
  },
  { path: /(?:^|\/)(?:[\w-]+-)?store\.ts$/, may: ['sql'], why: 'the queries of a module' },
  { path: /(?:^|\/)store\//, may: ['sql'], why: 'connections and migrations' },
  { path: /^bench\//, may: ['sql'], why: 'runs the same query bare, for comparison' },
]

type PatternRule = { rule: string; view: 'code' | 'comments'; pattern: RegExp; instead: string }

const patternRules: readonly PatternRule[] = [
  {
    rule: 'environment',
    view: 'code',
    pattern: /\bprocess\s*\.\s*env\b/g,
    instead: 'read it in server/src/config.ts and pass the value in',
  },
  {
    rule: 'clock',
    view: 'code',
    pattern: /\bDate\s*\.\s*now\b|\bnew Date(?:\(\s*\)|\b(?!\())/g,
    instead: 'take the clock as an argument',
  },
  {
    rule: 'randomness',
    view: 'code',
    pattern: /\bMath\s*\.\s*random\b/g,
    instead: 'take the source of ids or chance as an argument',
  },
  {
    rule: 'console',
    view: 'code',
    pattern: /\bconsole\s*\.\s*\w+/g,
    instead: 'use the logger that is passed in',
  },
  {
    rule: 'any',
    view: 'code',
    pattern: /:\s*any\b(?!\s*[(.])|\bany\[\]|<(?:[^<>(){};]*[,|&]\s*|\s*)any\s*[,>|&]|\bas\s+any\b/g,
    instead: 'name the type, or take unknown and parse it',
  },
  {
    rule: 'non-null',
    view: 'code',
    pattern: /[\w$)\]]!(?!=)/g,
    instead: 'handle the absent case, or assert with the reason why it cannot happen',
  },
  {
    rule: 'unfinished',
    view: 'comments',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b/g,
    instead: 'finish it, or open an issue and leave the code whole',
  },
  {
    rule: 'silenced',
    view: 'comments',
    pattern: /(?:\/\/|\/\*)\s*@ts-(?:ignore|expect-error|nocheck)/g,
    instead: 'make the types true',
  },
  {
    rule: 'skipped test',
    view: 'code',
    pattern: /\b(?:test|it|describe|suite)(?:\.\w+)*\.(?:only|skip|todo)\b/g,
    instead: 'let it run, or delete it',
  },
]

/** What a generator wrote is judged by the tests of the generator. */
export const committedOutput = /(?:^|\/)golden\//

export function checkFile(source: SourceText): Violation[] {
  if (committedOutput.test(source.path)) return checkFileSize(source)
  return [
    ...checkFileSize(source),
    ...checkFunctionSizes(source),
    ...checkLineLengths(source),
    ...checkPatterns(source),
    ...checkCasts(source),
    ...checkSql(source),
  ]
}

function isAllowed(path: string, rule: string): boolean {
  return allowances.some((allowance) => allowance.may.includes(rule) && allowance.path.test(path))
}

const isLongByNature = (path: string) => longByNature.some((pattern) => pattern.test(path))

function checkFileSize({ path, text }: SourceText): Violation[] {
  const linesMax = isLongByNature(path) ? sizes.longFileLines : sizes.fileLines
  const length = text.trimEnd().split('\n').length
  const instead = `${length} lines, at most ${linesMax}: find the second noun`
  return length > linesMax ? [{ file: path, line: linesMax + 1, rule: 'file size', instead }] : []
}

/** A file system is one object with an operation for each system call: short ones, but many, in one function. */
const tablesOfOperations = /^engine-portable\/src\/files\/(?:host-files|pending-writes)\.ts$/

function checkFunctionSizes(source: SourceText): Violation[] {
  if (tablesOfOperations.test(source.path)) return []
  return findFunctions(source).flatMap(({ start, end }) => {
    const line = lineAt(source.text, start)
    const length = lineAt(source.text, end) - line + 1
    const instead = `${length} lines, at most ${sizes.functionLines}: find the seam`
    return length > sizes.functionLines ? [{ file: source.path, line, rule: 'function size', instead }] : []
  })
}

function checkLineLengths({ path, text }: SourceText): Violation[] {
  const isLong = isLongByNature(path)
  return text.split('\n').flatMap((line, index) => {
    if (line.length <= sizes.lineLength || isExcused(line, isLong)) return []
    const instead = `${line.length} characters, at most ${sizes.lineLength}`
    return [{ file: path, line: index + 1, rule: 'line length', instead }]
  })
}

/** An address cannot be broken, nor can a text that stands alone on its line, nor a sentence that is data. */
function isExcused(line: string, isLong: boolean): boolean {
  if (/^\s*(?:[\w$'-]+: )?(['"`]).*\1[,)]*$/.test(line)) return true
  const withoutText = line.replace(/'[^']*'|"[^"]*"|`[^`]*`|\/[^/]+\//g, '')
  return line.includes('://') || (isLong && withoutText.length <= sizes.lineLength)
}

function checkPatterns({ path, text, ...views }: SourceText): Violation[] {
  return patternRules
    .filter(({ rule }) => !isAllowed(path, rule))
    .flatMap(({ rule, view, pattern, instead }) =>
      [...views[view].matchAll(pattern)].map(({ index }) => ({
        file: path,
        line: lineAt(text, index),
        rule,
        instead,
      })),
    )
}

const lowerCaseTypes =
  'any|string|number|boolean|bigint|symbol|object|unknown|never|undefined|null|typeof|keyof|readonly'
const cast = new RegExp(`[\\w$)\\]}'"\`](\\s+)as\\s+(?=[A-Z{[('"\`]|(?:${lowerCaseTypes})\\b)`, 'g')
const renaming = /\b(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?(?:\*\s+as\s+[\w$]+|\{[^}]*\})/g
const boundary = /\/\/ boundary: \S/i

/** A cast is a claim that the compiler cannot check; it may stand where data enters, with its reason. */
function checkCasts({ path, text, code }: SourceText): Violation[] {
  const lines = text.split('\n')
  const withoutRenaming = code.replace(renaming, (clause) => ' '.repeat(clause.length))
  return [...withoutRenaming.matchAll(cast)].flatMap((match) => {
    const line = lineAt(text, match.index + 1 + (match[1]?.length ?? 0))
    if (isExplained(lines, line)) return []
    const instead = 'narrow or parse; where data enters, say why next to it: // boundary: <reason>'
    return [{ file: path, line, rule: 'cast', instead }]
  })
}

/** The formatter may break a statement, so the reason may stand a few lines above the cast. */
const explanationLinesMax = 3

function isExplained(lines: readonly string[], line: number): boolean {
  const opening = openingLine(lines, line)
  return lines.slice(Math.max(0, opening - 1 - explanationLinesMax), line).some((text) => boundary.test(text))
}

const sqlStatements = [
  /^\s*(?:INSERT INTO|UPDATE \w+\s+SET|DELETE FROM|(?:CREATE|ALTER|DROP|TRUNCATE) [A-Z]+)\s/,
  /(?:^|\()\s*SELECT\s/,
  /\bFROM\s+\w+\s+WHERE\s/,
]

function checkSql({ path, text, strings }: SourceText): Violation[] {
  if (isAllowed(path, 'sql')) return []
  const instead = 'give the query a function in the store.ts of its module'
  return strings
    .filter(({ value }) => sqlStatements.some((statement) => statement.test(value)))
    .map(({ start }) => ({ file: path, line: lineAt(text, start), rule: 'sql', instead }))
}
