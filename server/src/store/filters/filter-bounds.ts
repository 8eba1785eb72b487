import { Problem } from '@assay/contract/problems'

type Params = Readonly<Record<string, unknown>>

/** Less than a caller waits for a read. */
export const filterSecondsMax = 30
/** Values of the conditions that callers choose are named so, with a number. */
export const filterPrefix = 'filter'
const filterName = /^filter\d+$/

/** Values of a statement with which a block of the usual size takes no more than a part of a second. */
const valuesUsual = 100
const blockRowsUsual = 65_409
const blockRowsMin = 1_024

/** The store looks at the time after each block, so that rows with much to compare come in smaller ones. */
export function blockRowsFor(params: Params): number | null {
  const values = Object.values(params).flatMap((value) =>
    Array.isArray(value) && typeof value[0] === 'string' ? value : typeof value === 'string' ? [value] : [],
  ).length
  if (values <= valuesUsual) return null
  return Math.max(blockRowsMin, Math.floor((blockRowsUsual * valuesUsual) / values))
}

export type BoundSettings = { max_execution_time?: number; max_block_size?: string }

/** Settings of a statement with conditions that a caller chose: it ends before its caller goes away. */
export function filterSettings(params: Params, secondsMax: number): BoundSettings {
  if (!Object.keys(params).some((name) => filterName.test(name))) return {}
  const rows = blockRowsFor(params)
  return { max_execution_time: secondsMax, ...(rows !== null && { max_block_size: String(rows) }) }
}

const timeExceeded = /TIMEOUT_EXCEEDED|Code: 159\b/

/** Says what to do where such a statement took too long. */
export async function withinTime<T>(
  { max_execution_time: secondsMax }: BoundSettings,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run()
  } catch (cause) {
    const text = cause instanceof Error ? `${'type' in cause ? cause.type : ''} ${cause.message}` : ''
    if (secondsMax === undefined || !timeExceeded.test(text)) throw cause
    const message = 'Ask for a shorter period, for fewer filters, or for filters with fewer values'
    throw new Problem('invalid-parameter', {
      detail: `The filters took more than ${secondsMax} s. ${message}.`,
      errors: [{ field: 'filters', message }],
      cause,
    })
  }
}
