import { type PatternNode, parsePattern, type UnitSet } from '../gate/patterns/pattern-syntax.ts'

/**
 * A pattern that was found sound, as text for the events store (RE2): written from its parts, so that it means there
 * what it means here and nothing in it can be invalid.
 */
export function storePattern(pattern: string): string {
  return textOf(parsePattern(pattern))
}

function textOf(node: PatternNode): string {
  switch (node.kind) {
    case 'set':
      return setText(node.set)
    case 'sequence':
      return `(?:${node.parts.map(textOf).join('')})`
    case 'choice':
      return `(?:${node.options.map(textOf).join('|')})`
    case 'repeat': {
      const most = node.max === Number.POSITIVE_INFINITY ? '' : node.max
      return `(?:${textOf(node.body)}){${node.min},${most}}`
    }
    case 'start':
      return '\\A'
    case 'end':
      return '\\z'
  }
}

const surrogates = [0xd800, 0xdfff] as const
const unitMax = 0xffff

/** Sets are of units of UTF-16; a set with all surrogates is of every character that needs two. */
function setText(set: UnitSet): string {
  const [first, last] = surrogates
  const hasWide = set.some(([from, to]) => from <= first && to >= last)
  const ranges = set.flatMap(([from, to]) => [
    ...(from < first ? [[from, Math.min(to, first - 1)] as const] : []),
    ...(to > last ? [[Math.max(from, last + 1), to] as const] : []),
  ])
  const all = hasWide ? [...ranges, [unitMax + 1, 0x10ffff] as const] : ranges
  // Nothing fits an empty set.
  if (all.length === 0) return '[^\\x{0}-\\x{10ffff}]'
  return `[${all.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join('')}]`
}
