import { additionalOutcomes, consentCategories, surfaces } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { Card } from '../../kit/card.tsx'
import { Check, SelectField, TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useStoredState } from '../../kit/stored-state.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { eventText } from '../../text/events.ts'
import { peopleText } from '../../text/people.ts'
import { watchText } from '../../text/watch.ts'
import { bodyOf, type Draft } from './draft.ts'
import { PropertyLines } from './property-lines.tsx'
import { ReplayReport } from './replay-report.tsx'

/** How far back a trial looks: a week has every weekday in it. */
const replayDays = 7
const refreshed = [
  'listContracts',
  'getContract',
  'getCatalog',
  'countQuarantined',
  'listQuarantined',
] as const

/** Edits a contract, tests it on stored traffic, and publishes it. */
export function Editor({ initial, isNew = false }: { initial: Draft; isNew?: boolean }) {
  const words = eventText.registry
  const [draft, setDraft, forget] = useStoredState(`draft of ${initial.key}`, () => initial)
  const [isReleasing, setReleasing] = useState(true)
  const trial = useWrite('createContract')
  const saving = useWrite('createContract', refreshed)
  const say = useNotice()
  const way = useWay()
  const { siteId } = usePlace()
  const set = (change: Partial<Draft>) => {
    setDraft({ ...draft, ...change })
    trial.reset()
  }
  const save = async (status: 'draft' | 'published') => {
    const release = status === 'published' && isReleasing
    const made = await saving.send({
      body: { ...bodyOf(draft), status, site_id: siteId, ...(release && { release }) },
    })
    if (made === null) return
    forget()
    say(made.unchanged ? words.unchanged : words.saved(made.version, made.held?.released ?? 0))
    way.go(way.to(`registry/${made.key}`))
  }
  const tryOut = () => trial.send({ body: { ...bodyOf(draft), dry_run: true, replay_days: replayDays } })
  const submit = () => save('published')
  return (
    <Form className="stack" onSubmit={submit}>
      <Card title={words.shape}>
        <div className="form-row">
          {isNew && (
            <TextField
              label={words.key}
              hint={words.keyHint}
              name="key"
              value={draft.key}
              onChange={(key) => set({ key })}
              isRequired
              isMono
            />
          )}
          <TextField
            label={words.description}
            name="description"
            value={draft.description}
            onChange={(description) => set({ description })}
          />
        </div>
        <PropertyLines draft={draft} onChange={set} />
        <Rules draft={draft} onChange={set} />
      </Card>
      <Card title={words.putInForce}>
        <ProblemNote error={trial.error ?? saving.error} />
        {trial.result !== null && <ReplayReport result={trial.result} />}
        <Check label={words.releaseQuarantined} isOn={isReleasing} onChange={setReleasing} />
        <div className="row">
          <TrialButton disabled={trial.isSending} onTry={tryOut}>
            {words.tryOut(replayDays)}
          </TrialButton>
          <TrialButton disabled={saving.isSending} onTry={() => save('draft')}>
            {words.saveDraft}
          </TrialButton>
          <Button type="submit" look="primary" disabled={saving.isSending}>
            {words.publish}
          </Button>
        </div>
      </Card>
    </Form>
  )
}

type RulesProps = { draft: Draft; onChange: (change: Partial<Draft>) => void }

function Rules({ draft, onChange }: RulesProps) {
  return (
    <div className="form-row">
      <SelectField
        label={eventText.registry.additional}
        value={draft.additional}
        choices={additionalOutcomes.map((value) => ({ value, label: eventText.registry.additionals[value] }))}
        onChange={(additional) => onChange({ additional })}
      />
      <SelectField
        label={eventText.registry.purpose}
        value={draft.purpose}
        choices={consentCategories.map((value) => ({ value, label: peopleText.consent.categories[value] }))}
        onChange={(purpose) => onChange({ purpose })}
      />
      <Surfaces of={draft.surfaces} onChange={(chosen) => onChange({ surfaces: chosen })} />
    </div>
  )
}

type SurfacesProps = { of: Draft['surfaces']; onChange: (surfaces: Draft['surfaces']) => void }

function Surfaces({ of, onChange }: SurfacesProps) {
  return (
    <fieldset className="plain-set">
      <legend className="label">{eventText.registry.surfaces}</legend>
      <div className="row">
        {surfaces.map((surface) => (
          <Check
            key={surface}
            label={watchText.eventHealth.surfaces[surface]}
            isOn={of.includes(surface)}
            onChange={(isOn) =>
              onChange(surfaces.filter((one) => (one === surface ? isOn : of.includes(one))))
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
