import { consentRegimes } from '@assay/contract'
import { type FormEvent, useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { text } from '../../text.ts'

const identifierTypes = ['person_id', 'user_id', 'email', 'anonymous_id'] as const

export function RequestForm() {
  const { parameters } = usePlace()
  const { site } = useSession()
  const [regime, setRegime] = useState(site.consentRegime ?? 'gdpr')
  const [type, setType] = useState<(typeof identifierTypes)[number]>('person_id')
  const [value, setValue] = useState(parameters.get('person') ?? '')
  const exporting = useWrite('requestExport', ['listSubjectRequests'])
  const say = useNotice()
  const whom = () =>
    type === 'person_id' ? { person_id: value.trim() } : { identifiers: [{ type, value: value.trim() }] }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if ((await exporting.send({ body: { ...whom(), regime } })) !== null) say(text.requests.begun)
  }
  return (
    <form className="form" onSubmit={(event) => void submit(event)}>
      <div className="form-row">
        <SelectField
          label={text.people.identifier}
          value={type}
          choices={identifierTypes.map((name) => ({ value: name, label: text.people.types[name] }))}
          onChange={setType}
        />
        <TextField label={text.people.value} value={value} onChange={setValue} isRequired isMono />
        <SelectField
          label={text.requests.regime}
          value={regime}
          choices={consentRegimes.map((name) => ({ value: name, label: text.consent.regimes[name] }))}
          onChange={setRegime}
        />
      </div>
      <ProblemNote error={exporting.error} />
      <div className="row">
        <Button type="submit" look="primary" disabled={exporting.isSending}>
          {text.requests.export}
        </Button>
      </div>
    </form>
  )
}
