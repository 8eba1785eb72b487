import { type Audience, type AudiencePreview, audienceConditionsMax } from '@assay/contract'
import { Link } from 'wouter'
import { useWrite } from '../../api/reads.ts'
import { formatCount } from '../../format.ts'
import { Button } from '../../kit/button.tsx'
import { Card, Progress } from '../../kit/card.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { useStoredState } from '../../kit/stored-state.ts'
import { usePlace, useWay } from '../../shell/place.ts'
import { useMay } from '../../shell/session.ts'
import { watchText } from '../../text/watch.ts'
import { text } from '../../text.ts'
import { type DraftGroup, draftOf, isGroup, newGroup, rulesOf } from './draft.ts'
import { RuleEditor } from './rule-editor.tsx'

type FormProps = { audience: Audience | null }

const countOf = (group: DraftGroup): number =>
  group.items.reduce((sum, node) => sum + (isGroup(node) ? countOf(node) : 1), 0)

const hasEmptyGroup = (group: DraftGroup): boolean =>
  group.items.length === 0 || group.items.some((node) => isGroup(node) && hasEmptyGroup(node))

const fieldsOf = (audience: Audience | null) => ({
  name: audience?.name ?? '',
  description: audience?.description ?? '',
  draft: audience === null ? newGroup('all') : draftOf(audience.rules),
})

/** A new or existing audience; its size is shown before it is saved. */
export function AudienceForm({ audience }: FormProps) {
  const { siteId } = usePlace()
  const way = useWay()
  const say = useNotice()
  const [fields, setFields, forget] = useStoredState('audience', () => fieldsOf(audience))
  const { name, description, draft } = fields
  const trial = useWrite('createAudience')
  const creating = useWrite('createAudience', ['listAudiences'])
  const updating = useWrite('updateAudience', ['listAudiences', 'getAudience', 'listAudienceMembers'])
  const words = watchText.audiences
  const rules = rulesOf(draft)
  const submit = async () => {
    const said = { name, description, rules }
    const saved =
      audience === null
        ? await creating.send({ body: { siteId, ...said } })
        : await updating.send({ params: { id: audience.id }, body: said })
    if (saved === null || !('id' in saved)) return
    forget()
    say(words.saved(saved.name, formatCount(saved.size)))
    if (audience === null) way.go(way.to(`audiences/${saved.id}`))
  }
  const canSend = !hasEmptyGroup(draft) && countOf(draft) <= audienceConditionsMax
  return (
    <Form className="stack" onSubmit={submit}>
      <Card title={words.rule}>
        <div className="form-row">
          <TextField
            label={words.name}
            name="name"
            value={name}
            onChange={(value) => setFields({ ...fields, name: value })}
            isRequired
          />
          <TextField
            label={words.description}
            name="description"
            value={description}
            onChange={(value) => setFields({ ...fields, description: value })}
          />
        </div>
        <RuleEditor
          rules={draft}
          onChange={(next) => {
            trial.reset()
            setFields({ ...fields, draft: next })
          }}
        />
        <ProblemNote error={trial.error ?? creating.error ?? updating.error} />
        {trial.result !== null && 'dryRun' in trial.result && <Preview of={trial.result} />}
        <div className="row">
          <TrialButton
            disabled={!canSend || trial.isSending}
            onTry={() => trial.send({ body: { siteId, rules, dryRun: true } })}
          >
            {words.preview}
          </TrialButton>
          <Button
            type="submit"
            look="primary"
            disabled={!canSend || creating.isSending || updating.isSending}
          >
            {audience === null ? words.create : text.acts.save}
          </Button>
        </div>
      </Card>
    </Form>
  )
}

/** Whom it would be, as examples; the whole list is there once it is saved. */
const examplesMax = 5

function Preview({ of: { size, people, sample } }: { of: AudiencePreview }) {
  const way = useWay()
  const mayRead = useMay('identity:read')
  const words = watchText.audiences
  return (
    <div className="note stack tight" role="status">
      <p>{words.would(formatCount(size), formatCount(people))}</p>
      <Progress label={words.preview} share={people === 0 ? 0 : size / people} />
      {mayRead && sample.length > 0 && (
        <p className="small">
          {words.such}{' '}
          {sample.slice(0, examplesMax).map((id) => (
            <Link key={id} className="mono id" href={way.to(`people/${id}`)}>
              {id}{' '}
            </Link>
          ))}
        </p>
      )}
    </div>
  )
}
