import { ApiProblem } from '@assay/contract'

/** Where the server found something wrong, as a place in the text. */
export type Fault = { message: string; at: number | null; line: string }

/** Null where the query itself is not what is wrong. */
export function faultIn(error: Error | null, query: string): Fault | null {
  const found =
    error instanceof ApiProblem ? error.body.errors?.find(({ field }) => field === 'query') : undefined
  if (found === undefined) return null
  const place = /^line (\d+), column (\d+): /.exec(found.message)
  if (place === null) return { message: found.message, at: null, line: '' }
  const [line, column] = [Number(place[1]), Number(place[2])]
  const lines = query.split('\n')
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0)
  return { message: found.message, at: before + column - 1, line: lines[line - 1] ?? '' }
}
