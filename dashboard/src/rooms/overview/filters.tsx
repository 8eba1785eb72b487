import { countryName } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { filterNames } from '../../shell/range.ts'
import { text } from '../../text.ts'

/** Which filters hold, each of which can be taken away. */
export function Filters() {
  const { parameters } = usePlace()
  const way = useWay()
  const held = filterNames.filter((name) => (parameters.get(name) ?? '') !== '')
  if (held.length === 0) return null
  const none = Object.fromEntries(held.map((name) => [name, null]))
  return (
    <section className="filters" aria-label={text.filters.title}>
      {held.map((name) => {
        const value = parameters.get(name) ?? ''
        const shown = name === 'country' ? countryName(value) : value
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
      <Button isCompact look="ghost" onClick={() => way.go(way.here(none))}>
        {text.filters.clear}
      </Button>
    </section>
  )
}
