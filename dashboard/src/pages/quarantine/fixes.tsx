import { isRecord, type QuarantineFilter, toSnakeCase } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button, LinkButton } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { AreaField, SelectField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace, useWay } from '../../shell/place.ts'
import { eventText } from '../../text/events.ts'
import { mappingTargets } from '../mappings/mapping-form.tsx'
import { quarantineReads } from './held-reads.ts'

type FixProps = { event: string; filter: QuarantineFilter }

/** The ways to release quarantined events, each with a dry run. A known event needs no contract. */
export function Fixes({ event, filter }: FixProps) {
  return (
    <div className="columns">
      {isNameless(filter.code) && !event.startsWith('$') && <ByContract event={event} />}
      {isNameless(filter.code) && !event.startsWith('$') && <ByMapping event={event} />}
      <ByRelease filter={filter} />
    </div>
  )
}

/** Whether the name is what keeps them; without a code it may be. */
function isNameless(code: string | undefined): boolean {
  return code === undefined || code === 'unknown_event' || code === 'invalid_name'
}

function ByContract({ event }: { event: string }) {
  const way = useWay()
  return (
    <Card title={eventText.fixes.contract}>
      <p className="soft">{eventText.fixes.contractMeans}</p>
      <div>
        <LinkButton look="primary" href={way.to('registry/new', { key: toSnakeCase(event) })}>
          {eventText.fixes.register}
        </LinkButton>
      </div>
    </Card>
  )
}

function ByMapping({ event }: { event: string }) {
  const { siteId } = usePlace()
  const [target, setTarget] = useState('$signup')
  const mapping = useWrite('createMapping', ['listMappings', 'getCatalog'])
  const say = useNotice()
  const create = async () => {
    const made = await mapping.send({ body: { siteId, source: event, target } })
    if (made !== null) say(eventText.fixes.mapped(event, target))
  }
  return (
    <Card title={eventText.fixes.mapping}>
      <p className="soft">{eventText.fixes.mappingMeans}</p>
      <SelectField
        label={eventText.fixes.target}
        value={target}
        choices={mappingTargets}
        onChange={setTarget}
      />
      <ProblemNote error={mapping.error} />
      <div>
        <Button disabled={mapping.isSending} onClick={() => void create()}>
          {eventText.fixes.map}
        </Button>
      </div>
    </Card>
  )
}

/** The patch as it was typed; null where it cannot be read. */
function readPatch(typed: string): Record<string, unknown> | null {
  if (typed.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(typed)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function ByRelease({ filter }: { filter: QuarantineFilter }) {
  const [typed, setTyped] = useState('')
  const trial = useWrite('releaseQuarantined')
  const releasing = useWrite('releaseQuarantined', quarantineReads)
  const say = useNotice()
  const patch = readPatch(typed)
  const body = { filter, ...(patch !== null && Object.keys(patch).length > 0 && { patch }) }
  const release = async () => {
    const done = await releasing.send({ body })
    if (done !== null) say(eventText.fixes.released(done.released, done.still_held))
  }
  return (
    <Card title={eventText.fixes.release}>
      <Form onSubmit={release}>
        <AreaField
          label={eventText.fixes.patch}
          hint={eventText.fixes.patchHint}
          name="patch"
          value={typed}
          fault={patch === null ? eventText.fixes.patchUnreadable : null}
          onChange={(value) => {
            setTyped(value)
            trial.reset()
          }}
          rows={3}
        />
        <ProblemNote error={trial.error ?? releasing.error} />
        {trial.result !== null && (
          <div className="note stack tight" role="status">
            <p>{eventText.fixes.would(trial.result.released, trial.result.still_held)}</p>
            {trial.result.results.find(({ issues }) => issues.length > 0)?.issues[0]?.message}
          </div>
        )}
        <div className="row">
          <TrialButton
            disabled={trial.isSending}
            onTry={() => trial.send({ body: { ...body, dry_run: true } })}
          >
            {eventText.fixes.tryOut}
          </TrialButton>
          <Button type="submit" look="primary" disabled={releasing.isSending}>
            {eventText.fixes.releaseNow}
          </Button>
        </div>
      </Form>
    </Card>
  )
}
