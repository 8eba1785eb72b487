/** Postgres refused a statement; `code` is its SQLSTATE. */
class DatabaseError extends Error {
  override readonly name: string = 'error'
}

type Field = string | number | boolean | undefined

/** An error as it crosses between threads, which keep neither the class nor the fields of one. */
export type Failure = {
  kind: 'database' | 'RangeError' | 'TypeError' | 'Error'
  message: string
  fields: Readonly<Record<string, Field>>
}

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { kind: 'Error', message: String(error), fields: fieldsOf(error) }
  return { kind: kindOf(error), message: error.message, fields: fieldsOf(error) }
}

/** With the stack of the caller: made where the statement was called, not where it failed. */
export function errorOf({ kind, message, fields }: Failure): Error {
  const made =
    kind === 'database' ? new DatabaseError(message) : new { RangeError, TypeError, Error }[kind](message)
  return Object.assign(made, fields)
}

function kindOf(error: Error): Failure['kind'] {
  if (error.name === 'error' && 'severity' in error) return 'database'
  if (error instanceof RangeError) return 'RangeError'
  return error instanceof TypeError ? 'TypeError' : 'Error'
}

/** Plain values only: statement and parameters, which PGlite adds, are the caller's own. */
function fieldsOf(error: unknown): Failure['fields'] {
  if (typeof error !== 'object' || error === null) return {}
  const isPlain = (value: unknown) => ['string', 'number', 'boolean', 'undefined'].includes(typeof value)
  return Object.fromEntries(
    Object.entries(error).filter(([name, value]) => name !== 'query' && isPlain(value)),
  )
}
