import type { Violation } from './file-rules.ts'
import type { Import } from './import-rules.ts'

/**
 * Refuses files that import each other in a circle: none of them can be read, tested or moved without the others.
 * Imports of types count as well. They cost nothing when the product runs, but a reader has to follow them, and one
 * word less makes them real. So does a worker that is named by its address.
 */
export function checkCircles(imports: readonly Import[]): Violation[] {
  const inside = imports.filter(({ isImport, from, to }) => isImport && from !== to)
  const importsOf = Map.groupBy(inside, ({ from }) => from)
  return circlesOf(importsOf).map((circle) => {
    const file = circle.toSorted()[0] ?? ''
    const found = importsOf.get(file)?.find(({ to }) => circle.includes(to))
    const instead = `${wayRound(file, circle, importsOf).join(' → ')}: move what they share to a file of its own`
    return { file, line: found?.line ?? 1, rule: 'import circle', instead }
  })
}

type ImportsOf = ReadonlyMap<string, readonly Import[]>

/** Groups of files that all reach each other (strongly connected components, by Tarjan). */
function circlesOf(importsOf: ImportsOf): string[][] {
  const circles: string[][] = []
  const numbers = new Map<string, number>()
  const open: string[] = []

  function visit(file: string): number {
    const number = numbers.size
    numbers.set(file, number)
    open.push(file)
    let low = number
    for (const { to } of importsOf.get(file) ?? []) {
      if (!numbers.has(to)) low = Math.min(low, visit(to))
      else if (open.includes(to)) low = Math.min(low, numbers.get(to) ?? low)
    }
    if (low === number) {
      const circle = open.splice(open.indexOf(file))
      if (circle.length > 1) circles.push(circle)
    }
    return low
  }

  for (const file of importsOf.keys()) if (!numbers.has(file)) visit(file)
  return circles
}

/** The shortest way from a file of a circle back to it, to show one that can be followed. */
function wayRound(start: string, circle: readonly string[], importsOf: ImportsOf): string[] {
  const ways = [[start]]
  const seen = new Set<string>()
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    for (const { to } of importsOf.get(way.at(-1) ?? '') ?? []) {
      if (to === start) return [...way, start]
      if (circle.includes(to) && !seen.has(to)) ways.push([...way, to])
      seen.add(to)
    }
  }
  return [start]
}
