import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useWay } from '../../shell/place.ts'
import { text } from '../../text.ts'
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
    say(text.people.merged)
    way.go(way.to(`people/${done.survivor_id ?? personId}`))
  }
  return (
    <Card title={text.people.merge}>
      <Form onSubmit={submit}>
        <TextField
          label={text.people.otherId}
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
        <TextField label={text.people.reason} name="reason" value={reason} onChange={setReason} isRequired />
        <ProblemNote error={trial.error ?? merging.error} />
        {trial.result !== null && (
          <div className="note" role="status">
            <p>{text.people.wouldMove(trial.result.survivor_id ?? '')}</p>
            <MovedFacts moved={trial.result.moved} />
          </div>
        )}
        <div className="row">
          <Button type="submit" disabled={trial.isSending}>
            {text.people.preview}
          </Button>
          {trial.result !== null && (
            <Button look="primary" disabled={merging.isSending} onClick={() => void merge()}>
              {text.people.mergeNow}
            </Button>
          )}
        </div>
      </Form>
    </Card>
  )
}
