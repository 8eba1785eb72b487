export { isPathPattern } from '@assay/contract/path-pattern'

/** `:word` stands for one part of a path and `*` for anything; everything else stands for itself. */
const placeholder = /:[A-Za-z_][A-Za-z0-9_]*|\*/g

/** A regular expression that means the same to RE2 and to JavaScript, of the whole path. */
export function pathExpression(pattern: string): string {
  const parts: string[] = []
  let end = 0
  for (const match of pattern.matchAll(placeholder)) {
    parts.push(escaped(pattern.slice(end, match.index)), match[0] === '*' ? '.*' : '[^/]+')
    end = match.index + match[0].length
  }
  return `^${parts.join('')}${escaped(pattern.slice(end))}$`
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

type Token = { kind: 'text'; text: string } | { kind: 'part' } | { kind: 'anything' }

function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  let end = 0
  for (const match of pattern.matchAll(placeholder)) {
    if (match.index > end) tokens.push({ kind: 'text', text: pattern.slice(end, match.index) })
    tokens.push({ kind: match[0] === '*' ? 'anything' : 'part' })
    end = match.index + match[0].length
  }
  if (end < pattern.length) tokens.push({ kind: 'text', text: pattern.slice(end) })
  return tokens
}

/** With more of them a comparison takes milliseconds; the store, which is faster, answers. */
export const placeholdersMax = 20

export const placeholdersIn = (pattern: string): number => pattern.match(placeholder)?.length ?? 0

/**
 * The same without an expression: that of JavaScript would try every way to divide a path among the placeholders, which
 * takes minutes for sixty letters. This takes a pass over the path for each of them.
 */
export function pathTest(pattern: string): (path: string) => boolean {
  const tokens = tokensOf(pattern)
  return (path) => {
    // Where what was read of the pattern may end.
    let ends = new Uint8Array(path.length + 1)
    ends[0] = 1
    for (const token of tokens) {
      ends = endsAfter(token, path, ends)
      if (!ends.includes(1)) return false
    }
    return ends[path.length] === 1
  }
}

function endsAfter(token: Token, path: string, ends: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(ends.length)
  if (token.kind === 'anything') return next.fill(1, ends.indexOf(1))
  let isOpen = false
  for (let place = 0; place < ends.length; place += 1) {
    if (token.kind === 'text') {
      if (ends[place] === 1 && path.startsWith(token.text, place)) next[place + token.text.length] = 1
      continue
    }
    // A part is one or more letters up to a slash.
    if (isOpen) next[place] = 1
    isOpen = place < path.length && path[place] !== '/' && (isOpen || ends[place] === 1)
  }
  return next
}
