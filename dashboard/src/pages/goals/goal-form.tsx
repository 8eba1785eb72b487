import { type Filter, type Goal, goalLimits } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { FilterList } from '../../filters/filter-bar.tsx'
import { useEventItems, useValueGroups } from '../../filters/terms.ts'
import { formatCount } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { Picker } from '../../kit/picker.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { goalReads } from './goal-counts.ts'

type Fields = { name: string; event: string; page: string; filters: readonly Filter[] }
type GoalFormProps = { goal: Goal | null; onClose: () => void }

/** A goal, with how often it was reached before it is saved. */
export function GoalForm({ goal, onClose }: GoalFormProps) {
  const { siteId } = usePlace()
  const say = useNotice()
  const words = text.goals
  const create = useWrite('createGoal', goalReads)
  const update = useWrite('updateGoal', goalReads)
  const [isTried, setTried] = useState(false)
  const [fields, setFields] = useState<Fields>({
    name: goal?.name ?? '',
    event: goal?.event ?? '',
    page: goal?.page ?? '',
    filters: goal?.filters ?? [],
  })
  const { name, event, page, filters } = fields
  const isOpen = event === '' && page === ''
  const submit = async () => {
    setTried(true)
    if (isOpen || isTooMany(fields)) return
    const told = {
      name,
      event: event === '' ? '$pageview' : event,
      page: page === '' ? null : page,
      filters: [...filters],
    }
    const saved =
      goal === null
        ? await create.send({ body: { siteId, ...told } })
        : await update.send({ params: { id: goal.id }, body: told })
    if (saved === null) return
    say(words.saved)
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      <TextField
        label={words.name}
        name="name"
        value={name}
        isRequired
        fault={
          name.length > goalLimits.nameCharactersMax ? text.form.atMost(goalLimits.nameCharactersMax) : null
        }
        onChange={(value) => setFields({ ...fields, name: value })}
      />
      <EventAndPage fields={fields} onChange={setFields} fault={isTried && isOpen ? words.needed : null} />
      <Conditions fields={fields} onChange={setFields} />
      {!isOpen && <Reached fields={fields} />}
      <ProblemNote error={goal === null ? create.error : update.error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={create.isSending || update.isSending}>
          {goal === null ? words.create : text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

type ConditionsProps = { fields: Fields; onChange: (fields: Fields) => void }

const isTooMany = ({ filters }: Fields) => filters.length > goalLimits.conditionsMax

function Conditions({ fields, onChange }: ConditionsProps) {
  const words = text.goals
  return (
    <div className="field">
      <span className="label">{words.conditions}</span>
      <FilterList
        label={words.conditions}
        isOfEvents
        placed={fields.filters.map((filter) => ({ filter, plain: null }))}
        onChange={(placed) => onChange({ ...fields, filters: placed.map(({ filter }) => filter) })}
      />
      {isTooMany(fields) && (
        <span className="fault small" role="alert">
          {words.conditionsMax(goalLimits.conditionsMax)}
        </span>
      )}
    </div>
  )
}

type EventAndPageProps = { fields: Fields; onChange: (fields: Fields) => void; fault: string | null }

function EventAndPage({ fields, onChange, fault }: EventAndPageProps) {
  const words = text.goals
  const events = useEventItems()
  const { groups, isLoading } = useValueGroups('page')
  return (
    <div className="form-row">
      <div className="field">
        <Picker
          label={words.event}
          value={fields.event}
          groups={[{ label: '', items: events }]}
          isFree
          fault={fault}
          onChange={(event) => onChange({ ...fields, event })}
        />
        <span className="soft small">{words.eventHint}</span>
      </div>
      <div className="field">
        <Picker
          label={words.page}
          value={fields.page}
          groups={groups}
          isLoading={isLoading}
          isFree
          placeholder={words.anyPage}
          onChange={(page) => onChange({ ...fields, page })}
        />
        <span className="soft small">{words.pageHint}</span>
      </div>
    </div>
  )
}

/** A typo shows here, and not weeks later. */
function Reached({ fields: { event, page, filters } }: { fields: Fields }) {
  const { siteId } = usePlace()
  const where: Filter[] = [...filters, ...(page === '' ? [] : [['is', 'page', [page]] as const])]
  const metric = {
    as: 'A',
    event: event === '' ? '$pageview' : event,
    math: 'count' as const,
    ...(where.length > 0 && { where }),
  }
  const count = useRead(
    'runQuery',
    { body: { siteId, window: '30d', metrics: [metric] } },
    { isOff: isPattern(page) },
  ).data?.totals.metrics.A
  if (count === undefined || count === null) return null
  return (
    <p className={count === 0 ? 'note warn' : 'note'} role="status">
      {count === 0 ? text.goals.neverReached : text.goals.reached(formatCount(count))}
    </p>
  )
}

/** No filter has patterns of paths, so there is no count before it is saved. */
const isPattern = (page: string) => /[:*]/.test(page)
