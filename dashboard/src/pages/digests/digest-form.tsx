import { type Board, type Digest, digestFrequencies, digestLimits, type Filter } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { FilterList } from '../../filters/filter-bar.tsx'
import { filtersIn } from '../../filters/saved-filters.ts'
import { Button } from '../../kit/button.tsx'
import { EmailsField, emailsFault } from '../../kit/emails-field.tsx'
import { SelectField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'
import { hourWords } from './when-words.ts'

const overview = ''
const hours = Array.from({ length: 24 }, (_, hour) => hour)

type DigestFormProps = { digest: Digest | null; boards: readonly Board[]; onClose: () => void }

type Fields = Pick<Digest, 'frequency' | 'weekday' | 'hour'> & {
  target: string
  recipients: readonly string[]
  filters: readonly Filter[]
}

const fieldsOf = (digest: Digest | null): Fields => ({
  target: digest?.targetId ?? overview,
  frequency: digest?.frequency ?? 'weekly',
  weekday: digest?.weekday ?? 1,
  hour: digest?.hour ?? 8,
  recipients: (digest?.recipients ?? []).flatMap(({ email, state }) => (state === 'active' ? [email] : [])),
  filters: digest === null ? [] : filtersIn(digest.narrowing),
})

/** What is sent, when, and to whom. What it shows cannot be changed later. */
export function DigestForm({ digest, boards, onClose }: DigestFormProps) {
  const { siteId } = usePlace()
  const { me } = useSession()
  const say = useNotice()
  const words = text.digests
  const create = useWrite('createDigest', ['listDigests'])
  const update = useWrite('updateDigest', ['listDigests'])
  const [fields, setFields] = useState(() => fieldsOf(digest))
  const [isTried, setTried] = useState(false)
  const change = (next: Partial<Fields>) => setFields({ ...fields, ...next })
  const { target, frequency, weekday, hour, recipients, filters } = fields
  const fault = recipients.length === 0 ? (isTried ? text.form.needed : null) : emailsFault(recipients)
  const submit = async () => {
    setTried(true)
    if (recipients.length === 0 || emailsFault(recipients) !== null) return
    const narrowing = filters.length > 0 ? { filters: [...filters] } : {}
    const told = { frequency, weekday, hour, recipients: [...recipients], narrowing }
    const what =
      target === overview ? { type: 'overview' as const } : { type: 'board' as const, targetId: target }
    const saved =
      digest === null
        ? await create.send({ body: { siteId, ...what, ...told } })
        : await update.send({ params: { id: digest.id }, body: told })
    if (saved === null) return
    say(words.saved)
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      {digest === null && (
        <SelectField
          label={words.what}
          value={target}
          choices={[
            { value: overview, label: words.overview },
            ...boards.map(({ id, name }) => ({ value: id, label: name || text.boards.unnamed })),
          ]}
          onChange={(value) => change({ target: value })}
        />
      )}
      <WhenFields fields={fields} onChange={change} />
      <EmailsField
        label={words.recipients}
        hint={words.recipientsHint}
        values={recipients}
        offered={[me.user.email]}
        max={digestLimits.recipientsMax}
        fault={fault}
        onChange={(values) => change({ recipients: values })}
      />
      <div className="field">
        <span className="label">{words.filters}</span>
        <FilterList
          placed={filters.map((filter) => ({ filter, plain: null }))}
          onChange={(placed) => change({ filters: placed.map(({ filter }) => filter) })}
        />
      </div>
      <ProblemNote error={digest === null ? create.error : update.error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={create.isSending || update.isSending}>
          {digest === null ? words.create : text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

type WhenProps = { fields: Fields; onChange: (next: Partial<Fields>) => void }

function WhenFields({ fields: { frequency, weekday, hour }, onChange }: WhenProps) {
  const { site } = useSession()
  const words = text.digests
  return (
    <div className="form-row">
      <SelectField
        label={words.frequency}
        value={frequency}
        choices={digestFrequencies.map((value) => ({ value, label: words.frequencies[value] }))}
        onChange={(value) => onChange({ frequency: value })}
      />
      {frequency === 'weekly' && (
        <SelectField
          label={words.weekday}
          value={String(weekday)}
          choices={words.weekdays.map((label, index) => ({ value: String(index + 1), label }))}
          onChange={(value) => onChange({ weekday: Number(value) })}
        />
      )}
      <SelectField
        label={words.hour}
        value={String(hour)}
        choices={hours.map((value) => ({ value: String(value), label: hourWords(value) }))}
        hint={text.time.inSiteZone(site.timezone)}
        onChange={(value) => onChange({ hour: Number(value) })}
      />
    </div>
  )
}
