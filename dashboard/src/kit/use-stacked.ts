import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

const phoneWidth = 620
/** What a column takes with its heading, as a rule. */
const columnWidth = 80
/** In a narrow card it is more, since the first column is most of a row. */
const narrowWidth = 600
const narrowColumnWidth = 120

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
    const measure = () => {
      const width = found.clientWidth
      const ofColumn = width < narrowWidth ? narrowColumnWidth : columnWidth
      setStacked(window.innerWidth <= phoneWidth || width < columns * ofColumn)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(found)
    return () => observer.disconnect()
  }, [columns])
  return { wrap, isStacked }
}
