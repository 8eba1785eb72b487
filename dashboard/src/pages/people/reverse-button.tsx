import type { LedgerEntry } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { formatCount } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { Check, TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { peopleText } from '../../text/people.ts'
import { text } from '../../text.ts'
import { MovedFacts } from './moved-facts.tsx'

/** Takes a merge back, after a look at what that does. */
export function ReverseButton({ entry }: { entry: LedgerEntry }) {
  const [isOpen, setOpen] = useState(false)
  const title = peopleText.ledger.reverseOf(formatCount(entry.seq))
  return (
    <>
      <Button isCompact aria-label={title} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {peopleText.ledger.reverse}
      </Button>
      <Dialog title={title} isOpen={isOpen} onClose={() => setOpen(false)}>
        <ReverseForm entry={entry} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function ReverseForm({ entry, onDone }: { entry: LedgerEntry; onDone: () => void }) {
  const [reason, setReason] = useState('')
  const [keepsApart, setKeepsApart] = useState(true)
  const [isCascade, setCascade] = useState(false)
  const trial = useWrite('reverseMerge')
  const reversing = useWrite('reverseMerge', ['listLedger', 'getPerson', 'getTimeline', 'verifyLedger'])
  const say = useNotice()
  const params = { id: entry.id }
  const body = { reason: reason.trim(), keep_apart: keepsApart, ...(isCascade && { cascade: true }) }
  const submit = async () => {
    const done = await reversing.send({ params, body })
    if (done === null) return
    say(peopleText.ledger.done(done.person_ids.length))
    onDone()
  }
  return (
    <Form onSubmit={submit}>
      <p>{peopleText.ledger.means}</p>
      <TextField
        label={peopleText.people.reason}
        name="reason"
        value={reason}
        onChange={setReason}
        isRequired
      />
      <Check label={peopleText.ledger.keepApart} isOn={keepsApart} onChange={setKeepsApart} />
      <Check label={peopleText.ledger.cascade} isOn={isCascade} onChange={setCascade} />
      <ProblemNote error={trial.error ?? reversing.error} />
      {trial.result !== null && (
        <div className="note" role="status">
          <p>{peopleText.ledger.would(trial.result.person_ids.length, trial.result.reversed.length)}</p>
          <MovedFacts moved={trial.result.moved} />
        </div>
      )}
      <div className="row end">
        <Button onClick={onDone}>{text.acts.cancel}</Button>
        <TrialButton
          disabled={trial.isSending}
          onTry={() => trial.send({ params, body: { ...body, dry_run: true } })}
        >
          {peopleText.people.preview}
        </TrialButton>
        <Button type="submit" look="primary" disabled={reversing.isSending}>
          {peopleText.ledger.reverse}
        </Button>
      </div>
    </Form>
  )
}
