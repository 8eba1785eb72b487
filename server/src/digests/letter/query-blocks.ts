import type { Answer, ReportView } from '@assay/contract'
import { dimensionText, valueTextOf } from '../../shares/page/dimension-words.ts'
import { wordsOf } from '../../shares/page/metric-words.ts'
import { textOf } from '../../shares/page/query-section.ts'
import { changeText, isWorse } from '../../shares/page/shown-values.ts'
import { type Block, type Figure, label, numberColumn, rowsOrNothing, textColumn } from './blocks.ts'

/** More columns of numbers do not fit in a narrow pane. */
const columnsMax = 2
/** Days of a month are all shown: a gap would be read as none. */
const timesMax = 31

/** Totals of a question with their change, and its rows unless it is shown as numbers alone. */
export function queryBlocks(answer: Answer, view: ReportView | null, rowsMax: number): Block[] {
  const figures: Block = { type: 'figures', figures: figuresOf(answer) }
  const isWhole = answer.dimensions.length === 0 || view === 'number'
  return isWhole ? [figures] : [figures, rowsOf(answer, rowsMax)]
}

function figuresOf({ metrics, totals, currency }: Answer): Figure[] {
  return metrics.map(({ name, unit }) => {
    const [now, then] = [totals.metrics[name] ?? null, totals.comparison?.[name] ?? null]
    return {
      name: label(wordsOf(name)),
      text: now === null ? '–' : textOf(unit, currency)(now),
      change: changeText(now, then),
      isWorse: isWorse(now, then, name !== 'bounceRate'),
    }
  })
}

function rowsOf({ dimensions, metrics, rows, period, currency }: Answer, rowsMax: number): Block {
  const shown = metrics.slice(0, columnsMax)
  const toTexts = dimensions.map((name) => valueTextOf(name, period.timezone))
  const named = ({ dimensions: values, isOther }: Answer['rows'][number]) => {
    if (isOther && values.every((value) => value === null)) return 'Other'
    const said = (value: string | null, index: number) =>
      value === null ? (isOther ? 'Other' : '–') : label(toTexts[index]?.(value) ?? value)
    return values.map(said).join(' · ')
  }
  const isByTime = dimensions.some((name) => name.startsWith('time:'))
  return rowsOrNothing({
    type: 'rows',
    columns: [
      textColumn(label(dimensions.map(dimensionText).join(' · '))),
      ...shown.map(({ name }) => numberColumn(label(wordsOf(name), columnCharactersMax))),
    ],
    rows: rows.slice(0, isByTime ? timesMax : rowsMax).map((row) => [
      named(row),
      ...shown.map(({ name, unit }) => {
        const value = row.metrics[name] ?? null
        return value === null ? '–' : textOf(unit, currency)(value)
      }),
    ]),
  })
}

const columnCharactersMax = 24
