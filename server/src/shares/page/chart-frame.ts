import { numberLocale } from '@assay/contract/number-text'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { numberText } from './shown-values.ts'

/** The size of a chart, and what the labels below and the numbers on the left take. */
export const frame = { width: 800, height: 208, left: 76, bottom: 24, top: 16 } as const

/** A tenth of a pixel is as fine as is seen. */
export const round = (value: number) => Math.round(value * 10) / 10

/** Short enough for the letters of a phone, which are larger. */
const axis = new Intl.NumberFormat(numberLocale, { notation: 'compact', maximumFractionDigits: 1 })
const axisText = (value: number) => (value < 10_000 ? numberText(value) : axis.format(value))

const steps = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10] as const

/** The top of an axis, so that it and its middle are round numbers. */
export function axisTop(most: number): number {
  const half = most / 2
  const power = 10 ** Math.floor(Math.log10(half))
  const step = steps.find((one) => one * power >= half) ?? 10
  return 2 * step * power
}

export function gridLines(most: number, y: (value: number) => number): string {
  const { left, width } = frame
  return [0, most / 2, most]
    .map((value) => {
      const at = y(value)
      const text = Number.isInteger(value) ? axisText(value) : ''
      return `<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/>
<text x="${left - 8}" y="${at + 4}" text-anchor="end">${text}</text>`
    })
    .join('\n')
}

/** The first, the middle and the last: more would overlap on a phone. */
export function axisLabels(labels: readonly string[], x: (index: number) => number): string {
  const last = labels.length - 1
  const shown: [number, string][] = [
    [0, 'start'],
    [Math.round(last / 2), 'middle'],
    [last, 'end'],
  ]
  return shown
    .map(
      ([index, anchor]) =>
        `<text x="${x(index)}" y="${frame.height - 4}" text-anchor="${anchor}">${escapeHtml(labels[index] ?? '')}</text>`,
    )
    .join('\n')
}
