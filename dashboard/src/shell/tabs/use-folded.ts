import { useLayoutEffect, useRef, useState } from 'react'

/** How many links of a row stand in its first line; the row hides the others, and a menu has them. */
function firstLine(row: HTMLElement): number {
  const links = [...row.children].filter((child) => child instanceof HTMLElement)
  if (widthOf(row, links) <= (row.parentElement?.clientWidth ?? 0)) return links.length
  const top = links[0]?.offsetTop ?? 0
  const below = links.findIndex((link) => link.offsetTop > top)
  return below === -1 ? links.length : below
}

/** In one line. */
function widthOf(row: HTMLElement, links: readonly HTMLElement[]): number {
  const gap = Number.parseFloat(getComputedStyle(row).columnGap) || 0
  return links.reduce((sum, link) => sum + link.getBoundingClientRect().width, gap * (links.length - 1))
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
