import type { QueryParams } from '../events.ts'

/** Values of a statement that is being written: each gets a parameter of its own, so that none is in the text. */
export type Binder = {
  /** The place of a value in the text. */
  bind: (type: string, value: unknown) => string
  /** All values so far. */
  params: Record<string, unknown>
}

/** Names start with the prefix, which nothing else in the statement uses. */
export function newBinder(prefix: string): Binder {
  const params: Record<string, unknown> = {}
  let count = 0
  return {
    bind: (type, value) => {
      const name = `${prefix}${count}`
      count += 1
      params[name] = value
      return `{${name}:${type}}`
    },
    params,
  }
}

/** The same text with parameters of other names, for a statement that has these already. */
export function renamed<Sql extends { params: QueryParams }>(
  parts: Sql,
  prefix: string,
  texts: readonly (keyof Sql)[],
): Sql {
  const rename = (text: string) =>
    Object.keys(parts.params).reduce(
      (changed, name) => changed.replaceAll(`{${name}:`, `{${prefix}${name}:`),
      text,
    )
  const params = Object.fromEntries(
    Object.entries(parts.params).map(([name, value]) => [`${prefix}${name}`, value]),
  )
  const changed = texts.map((name) => [name, rename(String(parts[name]))])
  return { ...parts, ...Object.fromEntries(changed), params }
}
