import { Problem } from '@assay/contract'

/**
 * How deep the JSON of a body may be nested. The deepest that any endpoint reads is the page of a recording; events
 * have a limit of their own. Far below what a function that calls itself can follow.
 */
export const jsonDepthMax = 200

/**
 * Refuses what is nested too deep for the functions behind, which call themselves. The parser does not, so it is asked
 * of the value: level by level it takes a fifteenth of the time of parsing, a scan of the text takes twice as long.
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
