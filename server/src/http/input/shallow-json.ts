import { Problem } from '@assay/contract'

/**
 * Maximum nesting of a JSON body. The deepest that any endpoint reads is the page of a recording; events have
 * their own limit. Far below what recursion can handle.
 */
export const jsonDepthMax = 200

/**
 * Refuses what is nested too deep for recursive functions. The parser is not recursive, so the value is
 * checked: level by level this takes a fifteenth of the time of parsing, and a scan of the text twice as
 * long.
 */
export function requireShallow(value: unknown): void {
  let level = isNested(value) ? [value] : []
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > jsonDepthMax) {
      throw new Problem('malformed-request', {
        detail: `The body is nested deeper than ${jsonDepthMax} levels.`,
      })
    }
    level = levelBelow(level)
  }
}

function levelBelow(level: readonly object[]): object[] {
  const below: object[] = []
  for (const value of level) {
    if (Array.isArray(value)) {
      for (const element of value) if (isNested(element)) below.push(element)
      continue
    }
    for (const key in value) {
      // boundary: a value of the JSON parser has own members only.
      const member = (value as Record<string, unknown>)[key]
      if (isNested(member)) below.push(member)
    }
  }
  return below
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
