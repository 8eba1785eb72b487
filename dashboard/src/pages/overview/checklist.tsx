import { Check, Circle, X } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import { useRead } from '../../api/reads.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { Empty } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

const memory = (siteId: string) => `assay.checklist.${siteId}`

type Step = { name: keyof typeof text.checklist.steps; isDone: boolean; path: string }

/** What is known of how far a site is set up. */
export type SetUp = {
  /** Nothing is still on its way. A page that shows its numbers before would move when the checklist comes. */
  isKnown: boolean
  /** Null where it cannot be known, or where this member has no part in it. */
  done: { goal: boolean; invite: boolean } | null
}

/** Asked together with the numbers of the page. */
export function useSetUp(): SetUp {
  const { siteId } = usePlace()
  const { role } = useSession()
  const mayWrite = useMay('analytics:write')
  const isOff = (role !== 'owner' && role !== 'admin') || !mayWrite || isClosedFor(siteId)
  const goals = useRead('listGoals', { query: { siteId, limit: 1 } }, { isOff })
  const members = useRead('listMembers', { query: { limit: 2 } }, { isOff })
  if (isOff) return { isKnown: true, done: null }
  const isKnown = [goals, members].every(({ data, error }) => data !== undefined || error !== null)
  if (goals.data === undefined || members.data === undefined) return { isKnown, done: null }
  return { isKnown, done: { goal: goals.data.data.length > 0, invite: members.data.data.length > 1 } }
}

const isClosedFor = (siteId: string) => localStorage.getItem(memory(siteId)) !== null

function stepsOf(hasEvents: boolean, done: NonNullable<SetUp['done']>): Step[] {
  return [
    { name: 'install', isDone: hasEvents, path: 'start' },
    { name: 'live', isDone: hasEvents, path: 'live' },
    { name: 'goal', isDone: done.goal, path: 'settings/goals' },
    { name: 'invite', isDone: done.invite, path: 'settings/members' },
  ]
}

type ChecklistProps = {
  hasEvents: boolean
  /** Nothing came at all, not even what was refused. */
  isSilent: boolean
  done: SetUp['done']
}

/** The first steps of a new site, until all are done or it is closed; and why there is nothing to see yet. */
export function Checklist({ hasEvents, isSilent, done }: ChecklistProps) {
  const { siteId } = usePlace()
  const way = useWay()
  const [isClosed, setClosed] = useState(() => isClosedFor(siteId))
  const words = text.checklist
  const steps = done === null ? [] : stepsOf(hasEvents, done)
  if (isClosed || steps.every(({ isDone }) => isDone)) {
    return isSilent ? (
      <Card>
        <Silent />
      </Card>
    ) : null
  }
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
      {isSilent && <Silent />}
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

function Silent() {
  const way = useWay()
  return (
    <Empty title={text.overview.silent}>
      <p>{text.overview.silentDetail}</p>
      <LinkButton look="primary" href={way.to('start')}>
        {text.pages.start}
      </LinkButton>
    </Empty>
  )
}
