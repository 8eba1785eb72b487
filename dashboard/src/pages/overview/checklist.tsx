import { Check, Circle, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

const memory = (siteId: string) => `assay.checklist.${siteId}`

type Step = { name: keyof typeof text.checklist.steps; isDone: boolean; path: string }

/** What a new site still needs; null until it is known, or where this member has no part in it. */
function useSteps(hasEvents: boolean): Step[] | null {
  const { siteId } = usePlace()
  const { role } = useSession()
  const mayWrite = useMay('analytics:write')
  const isOff = role !== 'owner' && role !== 'admin'
  const goals = useRead('listGoals', { query: { siteId, limit: 1 } }, { isOff })
  const members = useRead('listMembers', { query: { limit: 2 } }, { isOff })
  if (isOff || !mayWrite || goals.data === undefined || members.data === undefined) return null
  return [
    { name: 'install', isDone: hasEvents, path: 'start' },
    { name: 'live', isDone: hasEvents, path: 'live' },
    { name: 'goal', isDone: goals.data.data.length > 0, path: 'settings/goals' },
    { name: 'invite', isDone: members.data.data.length > 1, path: 'settings/members' },
  ]
}

/** The first steps of a new site, until all are done or it is closed. */
export function Checklist({ hasEvents }: { hasEvents: boolean }) {
  const { siteId } = usePlace()
  const way = useWay()
  const steps = useSteps(hasEvents)
  const [isClosed, setClosed] = useState(() => localStorage.getItem(memory(siteId)) !== null)
  const words = text.checklist
  if (isClosed || steps === null || steps.every(({ isDone }) => isDone)) return null
  const close = () => {
    localStorage.setItem(memory(siteId), 'closed')
    setClosed(true)
  }
  const closing = (
    <Button look="ghost" isCompact className="square" aria-label={words.close} onClick={close}>
      <X className="icon" aria-hidden="true" />
    </Button>
  )
  return (
    <Card title={words.title} act={closing}>
      <ol className="checklist">
        {steps.map(({ name, isDone, path }) => (
          <li key={name} data-done={isDone}>
            {isDone ? (
              <Check className="icon" aria-hidden="true" />
            ) : (
              <Circle className="icon" aria-hidden="true" />
            )}
            <Link href={way.to(path)}>{words.steps[name]}</Link>
            {isDone && <span className="soft small">{words.done}</span>}
          </li>
        ))}
      </ol>
    </Card>
  )
}
