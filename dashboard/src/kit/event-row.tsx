import { type ReactNode, useState } from 'react'
import { text } from '../text.ts'
import { EventIcon } from './event-icon.tsx'

type EventRowProps = {
  name: string
  /** Where it happened, and the like. */
  detail: ReactNode
  badges: ReactNode
  when: ReactNode
  /** What the row opens to. */
  children: ReactNode
}

/** One event in a list: a line that opens to everything that is known of it. */
export function EventRow({ name, detail, badges, when, children }: EventRowProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <EventIcon name={name} />
          <span className="event-name">
            <strong className="break">{name === '' ? text.nothing : name}</strong>
            <span className="soft small break">{detail}</span>
          </span>
          <span className="row event-badges">{badges}</span>
          <span className="soft small event-when">{when}</span>
        </summary>
        {isOpen && <div className="stack event-open">{children}</div>}
      </details>
    </li>
  )
}
