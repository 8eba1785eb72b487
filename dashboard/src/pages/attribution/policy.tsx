import { type AttributionPolicy, attributionModels } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import { formatDecimals, readNumber } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { NoPermission, ProblemNote, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { text } from '../../text.ts'

/** Edits the attribution policy; the effect of a change is shown before it is saved. */
export function PolicyEditor() {
  const way = useWay()
  const policy = useRead('getAttributionPolicy', { query: {} })
  return (
    <Page
      title={text.attribution.policy}
      back={{ href: way.to('attribution'), title: text.pages.attribution }}
    >
      <Shown of={policy}>{(data) => <PolicyForm policy={data} />}</Shown>
    </Page>
  )
}

const listOf = (typed: string) =>
  typed
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')

const fieldsOf = (policy: AttributionPolicy) => ({
  model: policy.model,
  lookback: String(policy.lookback_days),
  halfLife: String(policy.half_life_days),
  ignoresDirect: policy.ignore_direct,
  events: policy.outcome_events.join(', '),
  excluded: policy.exclude_channels.join(', '),
})
type Fields = ReturnType<typeof fieldsOf>

const bodyOf = ({ model, lookback, halfLife, ignoresDirect, events, excluded }: Fields) => ({
  model,
  lookback_days: readNumber(lookback) ?? 0,
  half_life_days: readNumber(halfLife) ?? 0,
  ignore_direct: ignoresDirect,
  outcome_events: listOf(events),
  exclude_channels: listOf(excluded),
})

function PolicyForm({ policy }: { policy: AttributionPolicy }) {
  const mayWrite = useMay('attribution:write')
  const [fields, setFields] = useState(fieldsOf(policy))
  const trial = useWrite('setAttributionPolicy')
  const saving = useWrite('setAttributionPolicy', ['getAttributionPolicy', 'getAttributionReport'])
  const say = useNotice()
  const words = text.attribution
  const body = bodyOf(fields)
  const submit = async () => {
    if ((await saving.send({ body })) !== null) say(words.saved)
  }
  if (!mayWrite) return <NoPermission />
  return (
    <Form className="stack" onSubmit={submit}>
      <Card title={words.version(policy.version)}>
        <PolicyFields fields={fields} onChange={(change) => setFields({ ...fields, ...change })} />
        <ProblemNote error={trial.error ?? saving.error} />
        {trial.result !== null && 'dry_run' in trial.result && <WhatIf preview={trial.result} />}
        <div className="row">
          <TrialButton
            disabled={trial.isSending}
            onTry={() => trial.send({ body: { ...body, dry_run: true } })}
          >
            {words.whatIf}
          </TrialButton>
          <Button type="submit" look="primary" disabled={saving.isSending}>
            {text.acts.save}
          </Button>
        </div>
      </Card>
    </Form>
  )
}

function PolicyFields({ fields, onChange }: { fields: Fields; onChange: (change: Partial<Fields>) => void }) {
  const words = text.attribution
  return (
    <>
      <div className="form-row">
        <SelectField
          label={words.model}
          hint={words.modelHints[fields.model]}
          value={fields.model}
          choices={attributionModels.map((value) => ({ value, label: words.models[value] }))}
          onChange={(model) => onChange({ model })}
        />
        <TextField
          label={words.lookback}
          name="lookback_days"
          value={fields.lookback}
          isNumber
          onChange={(lookback) => onChange({ lookback })}
          isRequired
        />
        <TextField
          label={words.halfLife}
          name="half_life_days"
          value={fields.halfLife}
          isNumber
          onChange={(halfLife) => onChange({ halfLife })}
          isRequired
        />
      </div>
      <div className="form-row">
        <TextField
          label={words.outcomeEvents}
          hint={words.commas}
          name="outcome_events"
          value={fields.events}
          onChange={(events) => onChange({ events })}
          isRequired
        />
        <TextField
          label={words.excludeChannels}
          hint={words.commas}
          name="exclude_channels"
          value={fields.excluded}
          onChange={(excluded) => onChange({ excluded })}
        />
      </div>
      <Check
        label={words.ignoreDirect}
        isOn={fields.ignoresDirect}
        onChange={(ignoresDirect) => onChange({ ignoresDirect })}
      />
    </>
  )
}

type Preview = {
  outcomes: { before: number; after: number }
  channels: readonly { channel: string; before: number; after: number; change: number }[]
}

function WhatIf({ preview }: { preview: Preview }) {
  const words = text.attribution
  const credit = (value: number) => formatDecimals(value, 2)
  return (
    <div className="note stack tight" role="status">
      <p>{words.wouldBe(preview.outcomes.before, preview.outcomes.after)}</p>
      <Table
        caption={words.whatIf}
        isMatrix
        rows={preview.channels}
        keyOf={({ channel }) => channel}
        columns={[
          { title: words.groupings.channel, cell: ({ channel }) => channel },
          { title: words.before, kind: 'number', cell: ({ before }) => credit(before) },
          { title: words.after, kind: 'number', cell: ({ after }) => credit(after) },
          {
            title: words.change,
            kind: 'number',
            cell: ({ change }) => `${change > 0 ? '+' : ''}${credit(change)}`,
          },
        ]}
      />
    </div>
  )
}
