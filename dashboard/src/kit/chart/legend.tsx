import type { ChartSeries } from './chart-data.ts'

/** The id under which the compared period is shown and hidden. */
export const previousId = 'previous'

type LegendProps = {
  series: readonly ChartSeries[]
  colourName: (index: number) => string
  previousName: string | null
  hidden: ReadonlySet<string>
  onToggle: (id: string) => void
}

/** Which colour is what. A click hides a series and shows it again. */
export function Legend({ series, colourName, previousName, hidden, onToggle }: LegendProps) {
  if (series.length < 2 && previousName === null) return null
  return (
    <div className="legend">
      {series.length > 1 &&
        series.map(({ id, name }, index) => (
          <button key={id} type="button" aria-pressed={!hidden.has(id)} onClick={() => onToggle(id)}>
            <span className="swatch" style={{ background: `var(${colourName(index)})` }} />
            <span className="legend-name">{name}</span>
          </button>
        ))}
      {previousName !== null && (
        <button type="button" aria-pressed={!hidden.has(previousId)} onClick={() => onToggle(previousId)}>
          <span className="swatch dashed" />
          <span className="legend-name">{previousName}</span>
        </button>
      )}
    </div>
  )
}
