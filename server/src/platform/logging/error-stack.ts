import { inspect } from 'node:util'

/** The class of an error, which contains no data. */
export function errorKind(error: unknown): string {
  if (!(error instanceof Error)) return 'Error'
  const cause = error.cause instanceof Error ? `/${error.cause.constructor.name}` : ''
  return error.constructor.name + cause
}

const causesMax = 5

/** With the stacks of its causes: the first one is where it started. */
export function errorStack(error: unknown): string {
  const stacks: string[] = []
  let current: unknown = error
  for (let depth = 0; current !== undefined && depth < causesMax; depth += 1) {
    stacks.push(current instanceof Error ? (current.stack ?? String(current)) : textOf(current))
    current = current instanceof Error ? current.cause : undefined
  }
  return stacks.join('\nCaused by: ')
}

/** Not every object can be converted to a string. */
function textOf(thrown: unknown): string {
  return typeof thrown === 'string' ? thrown : inspect(thrown, { depth: 1 })
}
