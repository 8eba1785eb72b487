import type { HealthSettings, Output } from '@assay/contract'
import { useState } from 'react'
import { useRead, useWrite } from '../../api/reads.ts'
import type { RouteOf } from '../../api/routes.ts'
import { formatCount, formatDay, formatDecimals, formatMinute, readNumber } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Page } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { NoPermission, ProblemNote, Shown } from '../../kit/states.tsx'
import { Table } from '../../kit/table.tsx'
import { useWay } from '../../shell/place.ts'
import { useMay, useSession } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { volumeText } from './observed.ts'

/** From when on something is an anomaly, and how many of them may become alerts. */
export function WatchSettings() {
  const way = useWay()
  const mayWrite = useMay('health:write')
  const settings = useRead('getHealthSettings', {})
  const words = watchText.healthSettings
  return (
    <Page
      title={words.title}
      lead={words.lead}
      back={{ href: way.to('event-health'), title: text.pages.eventHealth }}
    >
      <Card>
        <Shown of={settings}>
          {(data) => (mayWrite ? <SettingsForm settings={data} /> : <NoPermission />)}
        </Shown>
      </Card>
    </Page>
  )
}

const percentOf = 100
const fieldsOf = (settings: HealthSettings) => ({
  alone: String(settings.score_alone),
  twice: String(settings.score_twice),
  change: String(Math.round(settings.change_least * percentOf)),
  budget: String(settings.alerts_per_week),
  heldShare: String(Math.round(settings.quarantine_share * percentOf)),
  heldLeast: String(settings.quarantine_least),
})
type Fields = ReturnType<typeof fieldsOf>

const bodyOf = ({ alone, twice, change, budget, heldShare, heldLeast }: Fields) => ({
  score_alone: readNumber(alone) ?? 0,
  score_twice: readNumber(twice) ?? 0,
  change_least: (readNumber(change) ?? 0) / percentOf,
  alerts_per_week: readNumber(budget) ?? 0,
  quarantine_share: (readNumber(heldShare) ?? 0) / percentOf,
  quarantine_least: readNumber(heldLeast) ?? 0,
})

function SettingsForm({ settings }: { settings: HealthSettings }) {
  const [fields, setFields] = useState(fieldsOf(settings))
  const trial = useWrite('setHealthSettings')
  const saving = useWrite('setHealthSettings', ['getHealthSettings', 'listAnomalies'])
  const say = useNotice()
  const words = watchText.healthSettings
  const body = bodyOf(fields)
  const submit = async () => {
    if ((await saving.send({ body })) !== null) say(words.saved)
  }
  const change = (part: Partial<Fields>) => {
    // What was tried before says nothing about what stands there now.
    trial.reset()
    setFields({ ...fields, ...part })
  }
  return (
    <Form onSubmit={submit}>
      <SettingsFields fields={fields} onChange={change} />
      <ProblemNote error={trial.error ?? saving.error} />
      {trial.result !== null && 'dry_run' in trial.result && <Simulation result={trial.result} />}
      <div className="row">
        <TrialButton
          disabled={trial.isSending}
          onTry={() => trial.send({ body: { ...body, dry_run: true } })}
        >
          {words.simulate}
        </TrialButton>
        <Button type="submit" look="primary" disabled={saving.isSending}>
          {text.acts.save}
        </Button>
      </div>
    </Form>
  )
}

type FieldsProps = { fields: Fields; onChange: (change: Partial<Fields>) => void }

function SettingsFields({ fields, onChange }: FieldsProps) {
  const words = watchText.healthSettings
  const lines = [
    { name: 'alone', field: 'score_alone', label: words.scoreAlone, hint: words.scoreAloneHint },
    { name: 'twice', field: 'score_twice', label: words.scoreTwice, hint: words.scoreTwiceHint },
    { name: 'change', field: 'change_least', label: words.changeLeast, hint: words.changeLeastHint },
    { name: 'budget', field: 'alerts_per_week', label: words.budget, hint: words.budgetHint },
    { name: 'heldShare', field: 'quarantine_share', label: words.heldShare, hint: words.heldShareHint },
    { name: 'heldLeast', field: 'quarantine_least', label: words.heldLeast, hint: words.heldLeastHint },
  ] as const
  return (
    <div className="form-row thirds">
      {lines.map(({ name, field, label, hint }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          name={field}
          value={fields[name]}
          isNumber
          onChange={(value) => onChange({ [name]: value })}
          isRequired
        />
      ))}
    </div>
  )
}

type Simulated = Extract<Output<RouteOf<'setHealthSettings'>>, { dry_run: true }>

function Simulation({ result }: { result: Simulated }) {
  const { site } = useSession()
  const words = watchText.healthSettings
  const day = (time: string) => formatDay(time, site.timezone)
  return (
    <div className="note stack" role="status">
      <p>{words.simulated(day(result.period.from), day(result.period.to))}</p>
      <Table
        caption={words.simulate}
        rows={[
          { name: words.inForce, ...result.before },
          { name: words.these, ...result.after },
        ]}
        keyOf={({ name }) => name}
        columns={[
          { title: words.rule, cell: ({ name }) => name },
          { title: words.incidents, kind: 'number', cell: ({ incidents }) => formatCount(incidents) },
          { title: words.alerts, kind: 'number', cell: ({ alerts }) => formatCount(alerts) },
        ]}
      />
      {result.incidents.length > 0 && (
        <Table
          caption={words.furthest}
          rows={result.incidents}
          keyOf={(row) => `${row.site_id} ${row.event_key} ${row.started_at}`}
          columns={[
            {
              title: watchText.eventHealth.since,
              kind: 'time',
              cell: (row) => formatMinute(row.started_at, site.timezone),
            },
            { title: watchText.eventHealth.event, cell: ({ event_key }) => event_key },
            { title: watchText.eventHealth.observed, cell: volumeText },
            { title: words.score, kind: 'number', cell: ({ score }) => formatDecimals(score, 1) },
          ]}
        />
      )}
    </div>
  )
}
