import { type Figure, formatNumber, formatRows, ratioOf } from './report.ts'

type Compared = {
  readonly work: string
  readonly unit: string
  readonly before: number
  readonly after: number
  /** After, of before. */
  readonly ratio: number | null
  /** Both as ratios of their bare limit, where they have one. */
  readonly ofBare: { readonly before: number; readonly after: number } | null
}

/** What both sides measured, by its name; what one of them lacks has nothing to be compared with. */
export function compare(before: readonly Figure[], after: readonly Figure[]): readonly Compared[] {
  const earlier = new Map(before.map((figure) => [figure.work, figure]))
  return after.flatMap((figure) => {
    const other = earlier.get(figure.work)
    if (other === undefined || other.unit !== figure.unit) return []
    const [was, is] = [ratioOf(other), ratioOf(figure)]
    return [
      {
        work: figure.work,
        unit: figure.unit,
        before: other.value,
        after: figure.value,
        ratio: other.value === 0 ? null : figure.value / other.value,
        ofBare: was === null || is === null ? null : { before: was, after: is },
      },
    ]
  })
}

const headings = ['work', 'before', 'after', 'ratio', 'of the bare limit']

export function formatComparison(compared: readonly Compared[]): string {
  const rows = compared.map(({ work, unit, before, after, ratio, ofBare }) => [
    work,
    `${formatNumber(before)} ${unit}`,
    `${formatNumber(after)} ${unit}`,
    ratio === null ? '' : `${formatNumber(ratio)}×`,
    ofBare === null ? '' : `${formatNumber(ofBare.before)}× → ${formatNumber(ofBare.after)}×`,
  ])
  return formatRows(headings, rows)
}
