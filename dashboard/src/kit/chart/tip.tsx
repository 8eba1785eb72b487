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
              <td>{line.change !== null && <Change of={line.change} />}</td>
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
      {!isAlone && <PreviousLines content={content} lines={lines.slice(0, linesMax)} />}
      {lines.length > linesMax && <p className="soft small">{text.chart.more(lines.length - linesMax)}</p>}
      <MarkLines of={marksAt(content.marks, content.points, index)} />
    </>
  )
}

/** With several series the compared values get a part of their own, not a second line each. */
function PreviousLines({ content, lines }: { content: ChartContent; lines: readonly TipLine[] }) {
  const compared = lines.filter(({ previous }) => previous !== undefined)
  if (compared.length === 0) return null
  return (
    <p className="soft small">
      {content.previousName}:{' '}
      {compared.map((line) => `${line.name} ${shown(line.previous, line)}`).join(', ')}
    </p>
  )
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

function Change({ of }: { of: number }) {
  return <span className="chart-tip-change">{changeText(of)}</span>
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
