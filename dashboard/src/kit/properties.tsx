import { text } from '../text.ts'
import { Facts } from './card.tsx'

const written = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** The properties of an event, by name. */
export function Properties({ of }: { of: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(of)
  if (entries.length === 0) return <p className="soft small">{text.events.noProperties}</p>
  return (
    <Facts
      of={entries.map(([name, value]) => [
        name,
        <code key={name} className="break">
          {written(value)}
        </code>,
      ])}
    />
  )
}
