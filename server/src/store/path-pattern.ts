export { isPathPattern } from '@assay/contract'

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
