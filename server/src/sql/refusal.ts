import { Problem } from '@assay/contract'

/** A query that is not answered, and where in its text the reason is. */
export function refusedAt(query: string, at: number, message: string): Problem {
  const before = query.slice(0, at).split('\n')
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
  return refused(message, place)
}

export function refused(message: string, place?: string, cause?: unknown): Problem {
  const where = place === undefined ? '' : `, ${place}`
  return new Problem('invalid-parameter', {
    detail: `query${where}: ${message}.`,
    errors: [{ field: 'query', message: place === undefined ? message : `${place}: ${message}` }],
    cause,
  })
}
