import type { Audience } from '@assay/contract'
import { countryName } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { type FilterName, filterNames } from '../../shell/range.ts'
import { text } from '../../text.ts'
import { AudienceFilter, useAudiences } from './audience-filter.tsx'

/** Which filters hold, each of which can be taken away. */
export function Filters() {
  const { parameters } = usePlace()
  const way = useWay()
  const held = filterNames.filter((name) => (parameters.get(name) ?? '') !== '')
  const audiences = useAudiences()
  if (held.length === 0 && audiences.length === 0) return null
  const none = Object.fromEntries(held.map((name) => [name, null]))
  return (
    <section className="filters" aria-label={text.filters.title}>
      {held.map((name) => {
        const value = parameters.get(name) ?? ''
        const shown = shownValue(name, value, audiences)
        return (
          <span key={name} className="chip">
            {text.filters.names[name]}: {shown}
            <button
              type="button"
              aria-label={text.filters.remove(text.filters.names[name])}
              onClick={() => way.go(way.here({ [name]: null }))}
            >
              ✕
            </button>
          </span>
        )
      })}
      {held.length > 0 && (
        <Button isCompact look="ghost" onClick={() => way.go(way.here(none))}>
          {text.filters.clear}
        </Button>
      )}
      <AudienceFilter />
    </section>
  )
}

function shownValue(name: FilterName, value: string, audiences: readonly Audience[]): string {
  if (name === 'country') return countryName(value)
  return name === 'audience' ? (audiences.find(({ id }) => id === value)?.name ?? value) : value
}
