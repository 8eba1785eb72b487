import { consentRegimes, forgetModes } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Confirm } from '../../kit/confirm.tsx'
import { SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { useSession } from '../../shell/session.ts'
import { peopleText } from '../../text/people.ts'

const identifierTypes = ['person_id', 'user_id', 'email', 'anonymous_id'] as const

export function RequestForm() {
  const { parameters } = usePlace()
  const { site } = useSession()
  const [regime, setRegime] = useState(site.consentRegime ?? 'gdpr')
  const [type, setType] = useState<(typeof identifierTypes)[number]>('person_id')
  const [value, setValue] = useState(parameters.get('person') ?? '')
  const [mode, setMode] = useState<(typeof forgetModes)[number]>('erase')
  const exporting = useWrite('requestExport', ['listSubjectRequests'])
  const forgetting = useWrite('requestForget', ['listSubjectRequests'])
  const say = useNotice()
  const whom = () =>
    type === 'person_id' ? { person_id: value.trim() } : { identifiers: [{ type, value: value.trim() }] }
  const submit = async () => {
    if ((await exporting.send({ body: { ...whom(), regime } })) !== null) say(peopleText.requests.begun)
  }
  const forget = async () => {
    const begun = await forgetting.send({ body: { ...whom(), regime, mode } })
    if (begun !== null) say(peopleText.requests.begun)
    return begun !== null
  }
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        <SelectField
          label={peopleText.people.identifier}
          value={type}
          choices={identifierTypes.map((name) => ({ value: name, label: peopleText.people.types[name] }))}
          onChange={setType}
        />
        <TextField
          label={peopleText.people.value}
          name={type === 'person_id' ? 'person_id' : 'identifiers'}
          value={value}
          onChange={setValue}
          isRequired
          isMono
        />
        <SelectField
          label={peopleText.requests.regime}
          value={regime}
          choices={consentRegimes.map((name) => ({ value: name, label: peopleText.consent.regimes[name] }))}
          onChange={setRegime}
        />
      </div>
      <ProblemNote error={exporting.error} />
      <div className="row">
        <Button type="submit" look="primary" disabled={exporting.isSending}>
          {peopleText.requests.export}
        </Button>
        <Confirm
          act={peopleText.requests.forget}
          title={peopleText.requests.forgetTitle}
          onConfirm={forget}
          error={forgetting.error}
          isSending={forgetting.isSending}
        >
          <p>{peopleText.requests.forgetMeans}</p>
          <code className="break">{value}</code>
          <SelectField
            label={peopleText.requests.mode}
            value={mode}
            choices={forgetModes.map((name) => ({ value: name, label: peopleText.requests.modes[name] }))}
            onChange={setMode}
          />
        </Confirm>
      </div>
    </Form>
  )
}
