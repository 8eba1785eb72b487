import { refusedAt } from '../refusal.ts'

/** `quoted` is an identifier in quotes, which is never a keyword. */
type TokenKind = 'word' | 'quoted' | 'number' | 'string' | 'sign' | 'end'
/** `value` is what it means: a text without its quotes and escapes. */
export type Token = { kind: TokenKind; value: string; at: number; end: number }

/** Enough for any query of the largest size that a person writes; it bounds every later step. */
const tokensMax = 5_000
const identifierCharactersMax = 200

const space = /[ \t\r\n]+|--[^\n]*|\/\*[\s\S]*?\*\//y
const word = /[A-Za-z_][A-Za-z0-9_]*/y
const numeral = /0x[0-9A-Fa-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y
const sign = /->|::|<=|>=|<>|!=|==|\|\||[-+*/%=<>()[\],.?:;]/y
const quotes: Readonly<Record<string, RegExp>> = {
  "'": /'((?:\\[\s\S]|''|[^'\\])*)'/y,
  '"': /"([^"\\`]*)"/y,
  '`': /`([^`\\"]*)`/y,
}
// The text of an identifier is printed again between quotes, so that it has none, and no invisible character.
const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(text)
  }
  while (at < text.length) {
    const blank = match(space)
    if (blank !== null) {
      at += blank[0].length
      continue
    }
    const token = isElement(text, at, tokens.at(-1))
      ? { kind: 'sign' as const, value: '.', at, end: at + 1 }
      : tokenAt(text, at, match)
    tokens.push(token)
    if (tokens.length > tokensMax) throw refusedAt(text, at, 'The query is too long')
    at = token.end
  }
  tokens.push({ kind: 'end', value: '', at: text.length, end: text.length })
  return tokens
}

/** A dot right behind a name or a bracket is not the beginning of a number: t.1 is an element of a tuple. */
function isElement(text: string, at: number, before: Token | undefined): boolean {
  if (text.charAt(at) !== '.' || before === undefined) return false
  return ['word', 'quoted'].includes(before.kind) || before.value === ')' || before.value === ']'
}

function tokenAt(text: string, at: number, match: (pattern: RegExp) => RegExpExecArray | null): Token {
  const first = text.charAt(at)
  const quote = quotes[first]
  if (quote !== undefined) {
    const found = match(quote)
    if (found === null)
      throw refusedAt(text, at, `This ${first} has no end, or something in it cannot be read`)
    const [whole, content = ''] = found
    if (first === "'") return { kind: 'string', value: unescaped(content), at, end: at + whole.length }
    if (content === '' || content.length > identifierCharactersMax || unprintable.test(content)) {
      throw refusedAt(text, at, 'A name needs 1 to 200 visible characters')
    }
    return { kind: 'quoted', value: content, at, end: at + whole.length }
  }
  for (const [kind, pattern] of [
    ['number', numeral],
    ['word', word],
    ['sign', sign],
  ] as const) {
    const found = match(pattern)
    if (found === null) continue
    const [value] = found
    // 1abc is no number, and no name either.
    if (kind === 'number' && /[A-Za-z0-9_]/.test(text.charAt(at + value.length))) break
    return { kind, value, at, end: at + value.length }
  }
  throw refusedAt(text, at, `“${[...text.slice(at, at + 2)][0] ?? ''}” cannot stand here`)
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  '0': '\0',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
}

/** As ClickHouse does, a backslash before any other character stays, so that '\d' is a pattern. */
function unescaped(content: string): string {
  return content.replace(/''|\\([\s\S])/g, (whole, character: string | undefined) =>
    character === undefined ? "'" : (escapes[character] ?? whole),
  )
}
