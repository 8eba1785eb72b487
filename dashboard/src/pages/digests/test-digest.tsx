import type { Digest } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { text } from '../../text.ts'

type TestDigestProps = { digest: Digest; name: string }

/** Sends it now, to oneself or to one of the recipients. */
export function TestDigest({ digest, name }: TestDigestProps) {
  const [isOpen, setOpen] = useState(false)
  const words = text.digests
  return (
    <>
      <Button isCompact aria-label={words.testOf(name)} aria-haspopup="dialog" onClick={() => setOpen(true)}>
        {words.test}
      </Button>
      <Dialog title={words.testOf(name)} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <TestForm digest={digest} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

const me = ''

function TestForm({ digest, onClose }: { digest: Digest; onClose: () => void }) {
  const words = text.digests
  const [email, setEmail] = useState(me)
  const send = useWrite('testDigest', ['listDigests'])
  const active = digest.recipients.filter(({ state }) => state === 'active')
  const result = send.result
  return (
    <Form onSubmit={() => send.send({ params: { id: digest.id }, body: { ...(email !== me && { email }) } })}>
      <SelectField
        label={words.testTo}
        value={email}
        choices={[
          { value: me, label: words.me },
          ...active.map((one) => ({ value: one.email, label: one.email })),
        ]}
        onChange={setEmail}
      />
      <ProblemNote error={send.error} />
      {result !== null && (
        <p className={result.isDelivered ? 'note accept' : 'note warn'} role="status">
          {result.isDelivered
            ? words.testSent(result.email)
            : words.testFailed(result.email, result.error ?? '')}
        </p>
      )}
      <div className="row end">
        <Button onClick={onClose}>{text.acts.close}</Button>
        <Button type="submit" look="primary" disabled={send.isSending}>
          {words.sendTest}
        </Button>
      </div>
    </Form>
  )
}
