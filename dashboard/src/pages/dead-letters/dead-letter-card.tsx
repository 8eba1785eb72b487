import type { DeadLetter } from '@assay/contract'
import { isRecord } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatTime, toJson } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Facts } from '../../kit/card.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { AreaField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote, Shown } from '../../kit/states.tsx'
import { useMay, useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { letterReads } from './letter-reads.ts'

type Props = { id: string; onDecided: () => void }

/** One dead letter: why it was refused, the event as it was read, and the repair. */
export function DeadLetterCard({ id, onDecided }: Props) {
  const letter = useRead('getDeadLetter', { params: { id } })
  const mayWrite = useMay('registry:write')
  return (
    <Card title={text.deadLetters.asRead}>
      <Shown of={letter}>
        {(data) => (
          <div className="stack">
            <LetterFacts letter={data} />
            {mayWrite && data.state === 'waiting' && (
              <Repair id={id} event={data.event} onDecided={onDecided} />
            )}
          </div>
        )}
      </Shown>
    </Card>
  )
}

function LetterFacts({ letter }: { letter: DeadLetter }) {
  const { site } = useSession()
  const words = text.deadLetters
  const { event_id, reason, stored, received_at, node } = letter
  return (
    <Facts
      of={[
        [words.eventId, event_id === null ? null : <code key="id">{event_id}</code>],
        [words.reason, reason],
        [words.isStored, stored ? words.storedMeans : words.notStoredMeans],
        [words.received, received_at === null ? null : formatTime(received_at, site.timezone)],
        [words.node, node],
      ]}
    />
  )
}

/** The event as it was typed; null where it cannot be read. */
function readEvent(typed: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(typed)
    return isRecord(value) ? { ...value } : null
  } catch {
    return null
  }
}

function Repair({ id, event, onDecided }: Props & { event: unknown }) {
  const [typed, setTyped] = useState(event === null ? '' : toJson(event))
  const loading = useWrite('loadDeadLetter', letterReads)
  const say = useNotice()
  const words = text.deadLetters
  const repaired = readEvent(typed)
  const load = async (body: { event?: Record<string, unknown> }) => {
    if ((await loading.send({ params: { id }, body })) === null) return
    say(words.loaded)
    onDecided()
  }
  return (
    <Form onSubmit={() => load(repaired === null ? {} : { event: repaired })}>
      <AreaField
        label={words.repair}
        hint={words.repairHint}
        name="event"
        value={typed}
        fault={repaired === null ? words.repairUnreadable : null}
        onChange={setTyped}
        rows={12}
      />
      <ProblemNote error={loading.error} />
      <div className="row">
        <Button type="submit" look="primary" disabled={loading.isSending}>
          {words.loadRepaired}
        </Button>
        <Button disabled={loading.isSending} onClick={() => void load({})}>
          {words.loadAsItWas}
        </Button>
        <Discard id={id} onDecided={onDecided} />
      </div>
    </Form>
  )
}

function Discard({ id, onDecided }: Props) {
  const discarding = useWrite('discardDeadLetter', letterReads)
  const say = useNotice()
  const words = text.deadLetters
  const confirm = async () => {
    const done = await discarding.send({ params: { id } })
    if (done === null) return false
    say(words.discarded)
    onDecided()
    return true
  }
  return (
    <Confirm
      act={words.discard}
      title={words.discardTitle}
      onConfirm={confirm}
      error={discarding.error}
      isSending={discarding.isSending}
    >
      <p>{words.discardMeans}</p>
    </Confirm>
  )
}
