import { type Goal, goalLimits } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { filterWords } from '../../filters/filter-words.ts'
import { useFilterNames } from '../../filters/names.ts'
import { formatCount } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Empty, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { usePlace } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { goalReads, useGoalCounts } from './goal-counts.ts'
import { GoalForm } from './goal-form.tsx'
import '../../style/boards.css'

/** The goals of the site, and how often each was reached. */
export default function GoalsPage() {
  const { siteId } = usePlace()
  const words = text.goals
  const mayWrite = useMay('analytics:write')
  const goals = useRead('listGoals', { query: { siteId, limit: goalLimits.goalsMax } })
  return (
    <Page title={text.pages.goals} lead={words.lead} acts={mayWrite && <NewGoal />}>
      <Card>
        <Shown
          of={goals}
          empty={({ data }) =>
            data.length === 0 ? <Empty title={words.none}>{words.noneDetail}</Empty> : null
          }
        >
          {({ data }) => <GoalTable goals={data} mayWrite={mayWrite} />}
        </Shown>
      </Card>
    </Page>
  )
}

function NewGoal() {
  const [isOpen, setOpen] = useState(false)
  const words = text.goals
  return (
    <>
      <Button look="primary" aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.new}
      </Button>
      <Dialog title={words.new} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <GoalForm goal={null} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function GoalTable({ goals, mayWrite }: { goals: readonly Goal[]; mayWrite: boolean }) {
  const words = text.goals
  const counts = useGoalCounts(goals)
  return (
    <Table
      caption={text.pages.goals}
      rows={goals}
      keyOf={({ id }) => id}
      columns={[
        { title: words.name, sortBy: ({ name }) => name, cell: ({ name }) => name },
        { title: words.what, cell: (goal) => <GoalWords goal={goal} /> },
        {
          title: words.count,
          kind: 'number',
          sortBy: ({ id }) => counts.get(id) ?? null,
          cell: ({ id }) => {
            const count = counts.get(id)
            return count === undefined ? <span className="bone count-bone" /> : formatCount(count)
          },
        },
        {
          title: text.acts.act,
          kind: 'act',
          cell: (goal) =>
            mayWrite && (
              <div className="row end">
                <EditGoal goal={goal} />
                <DeleteGoal goal={goal} />
              </div>
            ),
        },
      ]}
    />
  )
}

function GoalWords({ goal: { event, page, filters } }: { goal: Goal }) {
  const names = useFilterNames()
  return (
    <>
      <code>{page === null ? event : text.goals.onPage(event, page)}</code>
      {filters.map((filter) => (
        <p key={JSON.stringify(filter)} className="soft small">
          {filterWords(filter, names)}
        </p>
      ))}
    </>
  )
}

function EditGoal({ goal }: { goal: Goal }) {
  const [isOpen, setOpen] = useState(false)
  const words = text.goals
  return (
    <>
      <Button
        isCompact
        aria-label={words.editOf(goal.name)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {words.edit}
      </Button>
      <Dialog title={words.editOf(goal.name)} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <GoalForm goal={goal} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function DeleteGoal({ goal }: { goal: Goal }) {
  const remove = useWrite('deleteGoal', goalReads)
  const say = useNotice()
  const words = text.goals
  const confirm = async () => {
    const isGone = (await remove.send({ params: { id: goal.id } })) !== null
    if (isGone) say(words.deleted(goal.name))
    return isGone
  }
  return (
    <Confirm
      act={words.delete}
      label={words.deleteOf(goal.name)}
      title={words.deleteTitle(goal.name)}
      error={remove.error}
      isSending={remove.isSending}
      onConfirm={confirm}
    >
      <p>{words.deleteDetail}</p>
    </Confirm>
  )
}
