import { outlines, size } from 'virtual:world-map'
import type { Overview } from '@assay/contract'
import { countryName, formatCount, formatShare } from '../../format.ts'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'

type WorldMapProps = { rows: Overview['breakdowns']['countries']; total: number }

/** By the root, so that a country with a tenth of the visitors differs from one with none. */
const strength = (visitors: number, most: number) => Math.round(15 + 85 * Math.sqrt(visitors / most))

/** Countries by their visitors; the list below has the same to a keyboard and a screen reader. */
export default function WorldMap({ rows, total }: WorldMapProps) {
  const way = useWay()
  const counts = new Map(rows.map(({ key, visitors }) => [key, visitors]))
  const most = Math.max(1, ...rows.map(({ visitors }) => visitors))
  const words = (country: string, visitors: number) =>
    `${countryName(country)}: ${formatCount(visitors)} (${formatShare(visitors / Math.max(1, total))})`
  return (
    <svg
      className="world-map"
      viewBox={`0 0 ${size.width} ${size.height}`}
      role="img"
      aria-label={text.breakdowns.map}
    >
      {Object.entries(outlines).map(([country, outline]) => {
        const visitors = counts.get(country) ?? 0
        if (visitors === 0) return <path key={country} d={outline} />
        return (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list below has a button for each country
          <path
            key={country}
            d={outline}
            className="seen"
            style={{ fill: `color-mix(in srgb, var(--accent) ${strength(visitors, most)}%, var(--sunk))` }}
            onClick={() => way.go(way.here({ country }))}
          >
            <title>{words(country, visitors)}</title>
          </path>
        )
      })}
    </svg>
  )
}
