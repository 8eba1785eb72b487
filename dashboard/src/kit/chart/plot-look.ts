import { colourName } from './chart-data.ts'

/** Colours and font of the page around the chart: a canvas does not inherit them. */
export type PlotLook = {
  ink: string
  line: string
  sheet: string
  previous: string
  anomaly: string
  mark: string
  font: string
  colourOf: (id: string) => string
}

export const faded = (colour: string, percent: number): string =>
  `color-mix(in srgb, ${colour} ${percent}%, transparent)`

/** Opaque, so that areas on top of each other do not mix. */
export const paled = (colour: string, sheet: string, percent: number): string =>
  `color-mix(in srgb, ${colour} ${percent}%, ${sheet})`

export function readLook(element: HTMLElement, ids: readonly string[]): PlotLook {
  const style = getComputedStyle(element)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const colours = new Map(ids.map((id, index) => [id, colour(colourName(index))]))
  return {
    ink: colour('--ink-soft'),
    line: colour('--line'),
    sheet: colour('--sheet'),
    previous: colour('--series-before'),
    anomaly: colour('--reject'),
    mark: colour('--line-strong'),
    font: `12px ${style.fontFamily}`,
    colourOf: (id) => colours.get(id) ?? colour(colourName(0)),
  }
}
