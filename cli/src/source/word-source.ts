import { consentRoute, type EventWords, type Finding, isSdkAddress } from './mentions.ts'

/** A word, a text or a sign of a program. */
type Token = { kind: 'word' | 'text' | 'sign'; text: string; line: number }

/** How a language writes comments and texts. */
export type Writing = {
  lineComments: readonly string[]
  blockComments: boolean
  quotes: readonly string[]
  /** There is prose, in which a quote after a letter is an apostrophe. */
  hasProse?: true
}

/** Longer quotes come first. */
const tripled = ['"""', "'''"]
export const writings = {
  python: { lineComments: ['#'], blockComments: false, quotes: [...tripled, '"', "'"] },
  swift: { lineComments: ['//'], blockComments: true, quotes: ['"""', '"'] },
  php: { lineComments: ['//', '#'], blockComments: true, quotes: ['"', "'"] },
  java: { lineComments: ['//'], blockComments: true, quotes: ['"""', '"'] },
  /** Templates of Svelte and Astro, and scripts that cannot be parsed. */
  markup: { lineComments: [], blockComments: true, quotes: ['"', "'", '`'], hasProse: true },
} as const satisfies Record<string, Writing>

/** Findings of a language without a parser here: what is in comments is none, and texts are whole. */
export function readWords(text: string, writing: Writing, words: EventWords): Finding[] {
  const tokens = tokensOf(text, writing)
  return tokens.flatMap((token, at) => findingAt(tokens, at, token, words))
}

const declarations = new Set(['def', 'func', 'fun', 'function', 'void'])

function findingAt(
  tokens: readonly Token[],
  at: number,
  { kind, text, line }: Token,
  words: EventWords,
): Finding[] {
  const next = tokens[at + 1]
  if (kind === 'text') {
    if (isSdkAddress(text)) return [{ kind: 'install', line, name: 'the script' }]
    if (text.endsWith(consentRoute)) return [{ kind: 'consent', line }]
    // assay('track', 'plan_chosen') and {"event": "plan_chosen"}
    const named = tokens[at + 2]
    const isCall = text === 'track' && next?.text === ','
    const isMember = text === 'event' && isAssigned(next)
    return (isCall || isMember) && isEvent(named, words) ? [{ kind: 'event', line, event: named.text }] : []
  }
  if (kind !== 'word' || declarations.has(tokens[at - 1]?.text ?? '')) return []
  if ((text === 'consent' || text === 'setConsent') && (next?.text === '(' || isAssigned(next)))
    return [{ kind: 'consent', line }]
  if (text === 'Assay' && next?.text === '.' && tokens[at + 2]?.text === 'builder')
    return [{ kind: 'install', line, name: 'the Java SDK' }]
  if (text === 'event' && isAssigned(next)) return eventOf(tokens[at + 2], line, words)
  if (next?.text !== '(') return []
  const generated = words.functions.get(text)
  if (generated !== undefined) return [{ kind: 'event', line, event: generated }]
  return text === 'track' ? eventOf(tokens[at + 2], line, words) : []
}

function eventOf(token: Token | undefined, line: number, words: EventWords): Finding[] {
  return isEvent(token, words) ? [{ kind: 'event', line, event: token.text }] : []
}

function isEvent(token: Token | undefined, { keys }: EventWords): token is Token {
  return token?.kind === 'text' && keys.has(token.text)
}

function isAssigned(token: Token | undefined): boolean {
  return token?.kind === 'sign' && (token.text === ':' || token.text === '=')
}

function tokensOf(text: string, writing: Writing): Token[] {
  const tokens: Token[] = []
  let [at, line] = [0, 1]
  const pass = (to: number) => {
    for (let each = at; each < to; each++) if (text[each] === '\n') line++
    at = to
  }
  while (at < text.length) {
    const comment = commentEnd(text, at, writing)
    const isApostrophe = writing.hasProse === true && isWordPart(text[at - 1])
    const quote = isApostrophe ? undefined : writing.quotes.find((each) => text.startsWith(each, at))
    if (comment !== null) pass(comment)
    else if (quote !== undefined) {
      const end = quoteEnd(text, at + quote.length, quote)
      tokens.push({ kind: 'text', text: text.slice(at + quote.length, end), line })
      pass(Math.min(text.length, end + quote.length))
    } else if (isWordPart(text[at])) {
      let end = at
      while (isWordPart(text[end])) end++
      tokens.push({ kind: 'word', text: text.slice(at, end), line })
      pass(end)
    } else {
      if (text[at]?.trim() !== '') tokens.push({ kind: 'sign', text: text[at] ?? '', line })
      pass(at + 1)
    }
  }
  return tokens
}

function commentEnd(text: string, at: number, { lineComments, blockComments }: Writing): number | null {
  if (blockComments && text.startsWith('/*', at)) return endOf(text, '*/', at + 2)
  return lineComments.some((mark) => text.startsWith(mark, at)) ? endOf(text, '\n', at) : null
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + mark.length
}

/** A quote of one sign ends with its line at the latest, so that an apostrophe swallows no more than that. */
function quoteEnd(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text.startsWith(quote, at)) return at
    else if (text[at] === '\n' && quote.length === 1 && quote !== '`') return at
  }
  return text.length
}

function isWordPart(letter: string | undefined): boolean {
  return letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter)
}
