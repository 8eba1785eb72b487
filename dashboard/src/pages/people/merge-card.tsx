import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { peopleText } from '../../text/people.ts'
import { MovedFacts } from './moved-facts.tsx'

/** Makes one person of two: what would move is shown first, and the ledger can take it back. */
export function MergeCard({ personId }: { personId: string }) {
  const [otherId, setOther] = useState('')
  const [reason, setReason] = useState('')
  const trial = useWrite('mergePeople')
  const merging = useWrite('mergePeople', ['getPerson', 'getTimeline', 'listLedger', 'getConsent'])
  const say = useNotice()
  const way = useWay()
  const body = { survivor_id: personId, absorbed_id: otherId.trim(), reason: reason.trim() }
  const submit = () => trial.send({ body: { ...body, dry_run: true } })
  const merge = async () => {
    const done = await merging.send({ body })
    if (done === null) return
    say(peopleText.people.merged)
    way.go(way.to(`people/${done.survivor_id ?? personId}`))
  }
  return (
    <Card title={peopleText.people.merge}>
      <Form onSubmit={submit}>
        <TextField
          label={peopleText.people.otherId}
          name="absorbed_id"
          value={otherId}
          onChange={(value) => {
            setOther(value)
            trial.reset()
          }}
          placeholder="per_…"
          isRequired
          isMono
        />
        <TextField
          label={peopleText.people.reason}
          name="reason"
          value={reason}
          onChange={setReason}
          isRequired
        />
        <ProblemNote error={trial.error ?? merging.error} />
        {trial.result !== null && (
          <div className="note" role="status">
            <p>{peopleText.people.wouldMove(trial.result.survivor_id ?? '')}</p>
            <MovedFacts moved={trial.result.moved} />
          </div>
        )}
        <div className="row">
          <Button type="submit" disabled={trial.isSending}>
            {peopleText.people.preview}
          </Button>
          {trial.result !== null && (
            <Button look="primary" disabled={merging.isSending} onClick={() => void merge()}>
              {peopleText.people.mergeNow}
            </Button>
          )}
        </div>
      </Form>
    </Card>
  )
}
