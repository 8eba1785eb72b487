import { useLayoutEffect, useRef, useState } from 'react'

/** How many links of a row stand in its first line; the row hides the others. */
function firstLine(row: HTMLElement): number {
  const links = [...row.children].filter((child) => child instanceof HTMLElement)
  const top = links[0]?.offsetTop ?? 0
  const below = links.findIndex((link) => link.offsetTop > top)
  return below === -1 ? links.length : below
}

/** Measured before the row is drawn, and again when it or a link gets another width, as by a font that arrives. */
export function useFolded(count: number) {
  const row = useRef<HTMLDivElement>(null)
  const [shown, setShown] = useState(count)
  useLayoutEffect(() => {
    const found = row.current
    if (found === null) return
    const measure = () => setShown(Math.min(count, firstLine(found)))
    measure()
    const observer = new ResizeObserver(measure)
    for (const one of [found, ...found.children]) observer.observe(one)
    return () => observer.disconnect()
  }, [count])
  return { row, shown }
}
