import { formatShare } from '../../format.ts'
import { text } from '../../text.ts'
import { type ChartContent, type ChartMark, marksAt, type TipLine, tipLines } from './chart-data.ts'

/** More lines hide the chart behind them. */
const linesMax = 9

type TipProps = { content: ChartContent; index: number; colourOf: (id: string) => string }

/** What is known about one point of the chart. */
export function Tip({ content, index, colourOf }: TipProps) {
  const point = content.points[index]
  if (point === undefined) return null
  const lines = tipLines(content.series, index, content.format, colourOf)
  const isAlone = content.series.length === 1
  return (
    <>
      <p className="chart-tip-time">
        {content.describeStart(point.start)}
        {point.isComplete === false && <span className="badge">{text.chart.unfinished}</span>}
      </p>
      <table>
        <tbody>
          {lines.slice(0, linesMax).map((line) => (
            <tr key={line.id}>
              <th scope="row">
                <span className="swatch" style={{ background: line.colour }} />
                {line.name}
              </th>
              <td>{shown(line.value, line)}</td>
              <td className="chart-tip-change">{isAlone ? aloneText(line) : comparedText(line)}</td>
            </tr>
          ))}
          {isAlone && lines[0]?.previous !== undefined && (
            <tr className="soft">
              <th scope="row">
                <span className="swatch dashed" />
                {point.previousStart === undefined
                  ? content.previousName
                  : content.describeStart(point.previousStart)}
              </th>
              <td>{shown(lines[0].previous, lines[0])}</td>
              <td />
            </tr>
          )}
        </tbody>
      </table>
      {lines.length > linesMax && <p className="soft small">{text.chart.more(lines.length - linesMax)}</p>}
      <MarkLines of={marksAt(content.marks, content.points, index)} />
    </>
  )
}

const aloneText = ({ change }: TipLine): string => (change === null ? '' : changeText(change))

/** With several series the compared value stands in the same line. */
function comparedText(line: TipLine): string {
  if (line.previous === undefined || line.previous === null) return ''
  return text.chart.changeFrom(aloneText(line), shown(line.previous, line)).trim()
}

function MarkLines({ of }: { of: readonly ChartMark[] }) {
  if (of.length === 0) return null
  return (
    <ul className="chart-tip-marks">
      {of.slice(0, linesMax).map(({ kind, start, words }) => (
        <li key={`${kind} ${start} ${words}`}>
          <span className={`flag ${kind}`} aria-hidden="true" />
          {words}
        </li>
      ))}
    </ul>
  )
}

const changeText = (change: number): string =>
  change === 0 ? text.chart.unchanged : `${change > 0 ? '+' : '−'}${formatShare(Math.abs(change))}`

function shown(value: number | null | undefined, { format }: Pick<TipLine, 'format'>): string {
  return value === null || value === undefined ? text.nothing : format(value)
}

/** The same as one sentence, for people who hear it. */
export function spokenTip(content: ChartContent, index: number): string {
  const point = content.points[index]
  if (point === undefined) return ''
  const lines = tipLines(content.series, index, content.format, () => '')
  const said = lines.slice(0, linesMax).map((line) => {
    const value = `${line.name} ${shown(line.value, line)}`
    if (line.previous === undefined) return value
    const change = line.change === null ? '' : `, ${changeText(line.change)}`
    return `${value}, ${content.previousName} ${shown(line.previous, line)}${change}`
  })
  const marks = marksAt(content.marks, content.points, index).map(({ words }) => words)
  const so = point.isComplete === false ? ` (${text.chart.unfinished})` : ''
  return [`${content.describeStart(point.start)}${so}`, ...said, ...marks].join('. ')
}
