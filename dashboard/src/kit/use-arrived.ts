import { useRef } from 'react'

type Awaited = { data: unknown; error: Error | null }

/**
 * Whether all have answered once. Parts of a page that stand below each other appear together: one by one each would
 * move those below it. Later questions, such as with another filter, leave the others where they are.
 */
export function useArrived(readings: readonly Awaited[]): boolean {
  const hasArrived = useRef(false)
  hasArrived.current ||= readings.every(({ data, error }) => data !== undefined || error !== null)
  return hasArrived.current
}
