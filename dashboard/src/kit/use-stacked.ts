import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const phoneWidth = 600
/** What a column takes with its heading, as a rule. */
const columnWidth = 80

/**
 * Whether the rows of a table stand as lists, one below the other: on a phone, and where the columns would not fit next
 * to each other. Measured before the table is drawn, and again when it gets another width.
 */
export function useStacked(columns: number): { wrap: RefObject<HTMLDivElement | null>; isStacked: boolean } {
  const wrap = useRef<HTMLDivElement>(null)
  const [isStacked, setStacked] = useState(false)
  useLayoutEffect(() => {
    const found = wrap.current
    if (found === null) return
    const measure = () => setStacked(found.clientWidth < Math.max(phoneWidth, columns * columnWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(found)
    return () => observer.disconnect()
  }, [columns])
  return { wrap, isStacked }
}
