import type { BackfillPreview, EventMapping, QuarantinedOfSource } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { now } from '../../clock.ts'
import { formatCount } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Facts } from '../../kit/card.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { eventText } from '../../text/events.ts'
import { gateText } from '../../text/gate.ts'
import { text } from '../../text.ts'
import { quarantineReads } from '../quarantine/held-reads.ts'

const dayMs = 86_400_000
/** A month is what most reports show. */
const defaultDays = 30

/** Lays a rule over the past: first what it would change, then the job. */
export function BackfillDialog({ rule, onClose }: { rule: EventMapping; onClose: () => void }) {
  const { siteId } = usePlace()
  const [from, setFrom] = useState(new Date(now() - defaultDays * dayMs).toISOString().slice(0, 10))
  const trial = useWrite('startBackfill')
  const starting = useWrite('startBackfill', ['listBackfills'])
  const say = useNotice()
  const params = { id: rule.id }
  const start = async () => {
    const begun = await starting.send({ params, body: { siteId, from } })
    if (begun === null) return
    say(eventText.backfills.begun)
    onClose()
  }
  const preview = trial.result !== null && 'dryRun' in trial.result ? trial.result : null
  return (
    <Dialog title={eventText.backfills.title(rule.source, rule.target)} isOpen onClose={onClose}>
      <Form onSubmit={start}>
        <p>{eventText.backfills.means}</p>
        <TextField
          label={eventText.backfills.from}
          type="date"
          name="from"
          value={from}
          onChange={(value) => {
            setFrom(value)
            trial.reset()
          }}
          isRequired
        />
        <ProblemNote error={trial.error ?? starting.error} />
        {preview !== null && <Preview preview={preview} />}
        {preview !== null && preview.held.events > 0 && <QuarantinedEvents held={preview.held} />}
        <div className="row end">
          <Button onClick={onClose}>{text.acts.cancel}</Button>
          <TrialButton
            disabled={trial.isSending}
            onTry={() => trial.send({ params, body: { siteId, from, dryRun: true } })}
          >
            {eventText.backfills.tryOut}
          </TrialButton>
          <Button type="submit" look="primary" disabled={starting.isSending}>
            {eventText.backfills.start}
          </Button>
        </div>
      </Form>
    </Dialog>
  )
}

/** What a back-fill cannot reach, and the button that lets it count. */
function QuarantinedEvents({ held }: { held: QuarantinedOfSource }) {
  const releasing = useWrite('releaseQuarantined', quarantineReads)
  const [released, setReleased] = useState<number | null>(null)
  const release = async () => {
    let sum = 0
    for (const { body } of held.release) {
      const done = await releasing.send({ body })
      if (done === null) return
      sum += done.released
    }
    setReleased(sum)
  }
  return (
    <div className="note stack tight" role="status">
      <p>
        {released === null
          ? gateText.heldSource.waiting(held.events)
          : gateText.heldSource.released(released)}
      </p>
      <ProblemNote error={releasing.error} />
      {released === null && (
        <div>
          <Button disabled={releasing.isSending} onClick={() => void release()}>
            {gateText.heldSource.release}
          </Button>
        </div>
      )}
    </div>
  )
}

function Preview({ preview }: { preview: BackfillPreview }) {
  const words = eventText.backfills
  const codes = Object.entries(preview.codes)
  if (preview.matched === 0) {
    return (
      <p className="note" role="status">
        {words.none}
      </p>
    )
  }
  return (
    <div className="note" role="status">
      <Facts
        of={[
          [words.matched, formatCount(preview.matched)],
          [words.events, formatCount(preview.events)],
          [words.renamed, formatCount(preview.renamed)],
          [words.refused, formatCount(preview.refused)],
          [words.repeatedOrders, formatCount(preview.repeatedOrders)],
          ...codes.map(([code, count]) => [code, formatCount(count)] as const),
        ]}
      />
    </div>
  )
}
