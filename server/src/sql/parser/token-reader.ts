import { refusedAt } from '../refusal.ts'
import type { Name, Query } from './syntax.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Parentheses, subqueries and operators within each other. */
const depthMax = 40

/** What cannot be a name without quotes, since a clause or an operator begins with it. */
const keywords: ReadonlySet<string> = new Set(
  `all and anti any array as asc asof between by case cross cube desc distinct div else end except exists false
  final format from full global group grouping having ilike in inner intersect interval into is join left like limit
  mod not null nulls offset on or order outer over partition prewhere qualify right rollup rows sample select semi
  settings then totals true union using when where window with`.split(/\s+/),
)

/** Reads the tokens of a query one after the other. */
export class TokenReader {
  readonly text: string
  readonly #tokens: readonly Token[]
  #next = 0
  #depth = 0
  /** Of the parser of queries, for those within expressions. */
  readonly readQuery: (reader: TokenReader) => Query

  constructor(text: string, readQuery: (reader: TokenReader) => Query) {
    this.text = text
    this.#tokens = tokensOf(text)
    this.readQuery = readQuery
  }

  peek(ahead = 0): Token {
    const last = this.#tokens.length - 1
    const token = this.#tokens[Math.min(this.#next + ahead, last)]
    if (token === undefined) throw new Error('a query has an end')
    return token
  }

  take(): Token {
    const token = this.peek()
    this.#next += 1
    return token
  }

  /** The text from there to the last token that was taken. */
  textSince(at: number): string {
    return this.text.slice(at, this.#tokens[this.#next - 1]?.end ?? at)
  }

  isWord(word: string, ahead = 0): boolean {
    const { kind, value } = this.peek(ahead)
    return kind === 'word' && value.toLowerCase() === word
  }

  /** Takes these words if they come next. */
  takeWords(...words: readonly string[]): boolean {
    if (!words.every((word, index) => this.isWord(word, index))) return false
    this.#next += words.length
    return true
  }

  isSign(value: string, ahead = 0): boolean {
    const token = this.peek(ahead)
    return token.kind === 'sign' && token.value === value
  }

  takeSign(value: string): boolean {
    if (!this.isSign(value)) return false
    this.#next += 1
    return true
  }

  require(sign: string): void {
    if (!this.takeSign(sign)) throw this.unexpected(`“${sign}”`)
  }

  requireWord(word: string): void {
    if (!this.takeWords(word)) throw this.unexpected(word.toUpperCase())
  }

  isName(ahead = 0): boolean {
    const { kind, value } = this.peek(ahead)
    return kind === 'quoted' || (kind === 'word' && !keywords.has(value.toLowerCase()))
  }

  name(): Name {
    if (!this.isName()) throw this.unexpected('a name')
    const { value, at } = this.take()
    return { value, at }
  }

  /** Whole numbers alone: how many rows there are is no matter of a computation. */
  wholeNumber(): string {
    const { kind, value } = this.peek()
    if (kind !== 'number' || !/^\d{1,15}$/.test(value)) throw this.unexpected('a whole number')
    return this.take().value
  }

  list<Item>(one: () => Item): Item[] {
    const items = [one()]
    while (this.takeSign(',')) items.push(one())
    return items
  }

  /** What stands deeper than anyone reads is refused, and not followed to the end of the stack. */
  within<Result>(read: () => Result): Result {
    this.#depth += 1
    if (this.#depth > depthMax) throw this.refused(`More than ${depthMax} levels within each other`)
    const result = read()
    this.#depth -= 1
    return result
  }

  unexpected(wanted: string): Error {
    const { kind, value } = this.peek()
    const found = kind === 'end' ? 'the query ends here' : `here is “${value.slice(0, 60)}”`
    return this.refused(`${wanted} is expected, and ${found}`)
  }

  refused(message: string, at = this.peek().at): Error {
    return refusedAt(this.text, at, message)
  }
}
