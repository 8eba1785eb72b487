import type { ErrorRule } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Form, TrialButton } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { text } from '../../text.ts'
import { RulePreview, type TriedRule } from './rule-preview.tsx'

/** What of an error a rule goes by. */
export const matchParts = ['type', 'title', 'culprit'] as const
type Patterns = Readonly<Record<(typeof matchParts)[number], string>>

/** Patterns that the address brings, from the page of an error. */
export function patternsOf(parameters: URLSearchParams): Patterns {
  const of = (part: string) => parameters.get(part) ?? ''
  return { type: of('type'), title: of('title'), culprit: of('culprit') }
}

const nothing: Patterns = { type: '', title: '', culprit: '' }

type FormProps = { rule?: ErrorRule; given?: Patterns; onDone: () => void }

export function RuleForm({ rule, given = nothing, onDone }: FormProps) {
  const [patterns, setPatterns] = useState<Patterns>({ ...given, ...rule?.match })
  const [group, setGroup] = useState(rule?.errorGroup ?? '')
  const [place, setPlace] = useState(rule === undefined ? '' : String(shownPosition(rule.position)))
  const [previewed, setPreviewed] = useState<TriedRule | null>(null)
  const saving = useSaving(rule)
  const say = useNotice()
  const words = text.errorRules
  const wanted = toRule(patterns, group, place)
  const isPreviewed = previewed !== null && JSON.stringify(previewed) === JSON.stringify(wanted)
  const isEmpty = matchParts.every((part) => patterns[part].trim() === '')
  const submit = async () => {
    if (wanted === null || (await saving.save(wanted)) === null) return
    say(words.saved(wanted.errorGroup))
    onDone()
  }
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        {matchParts.map((part) => (
          <TextField
            key={part}
            label={words.parts[part]}
            hint={words.hints[part]}
            name={`match.${part}`}
            value={patterns[part]}
            fault={isEmpty && part === matchParts[0] ? words.onePattern : null}
            onChange={(value) => setPatterns({ ...patterns, [part]: value })}
            isMono
          />
        ))}
      </div>
      <div className="form-row">
        <TextField
          label={words.group}
          hint={words.groupHint}
          name="errorGroup"
          value={group}
          onChange={setGroup}
          isRequired
        />
        <TextField
          label={words.place}
          hint={words.placeHint}
          name="position"
          value={place}
          fault={isPlace(place) ? null : words.placeFault}
          onChange={setPlace}
        />
      </div>
      <p className="soft small">{words.stars}</p>
      {isPreviewed && <RulePreview ruleId={rule?.id} rule={previewed} />}
      <ProblemNote error={saving.error} />
      <div className="row">
        <Button type="submit" look="primary" disabled={saving.isSending}>
          {text.acts.save}
        </Button>
        <TrialButton onTry={() => setPreviewed(wanted)}>{words.preview}</TrialButton>
        <Button onClick={onDone}>{text.acts.cancel}</Button>
      </div>
    </Form>
  )
}

/** People count from one. */
export const shownPosition = (position: number): number => position + 1
const isPlace = (typed: string) => typed.trim() === '' || /^0*[1-9]\d*$/.test(typed.trim())

/** Null while it is no rule yet. */
function toRule(patterns: Patterns, group: string, place: string): TriedRule | null {
  const given = matchParts.flatMap((part) =>
    patterns[part].trim() === '' ? [] : [[part, patterns[part].trim()]],
  )
  const position = place.trim() === '' ? undefined : Number(place) - 1
  if (given.length === 0 || group.trim() === '' || !isPlace(place)) return null
  return {
    match: Object.fromEntries(given),
    errorGroup: group.trim(),
    ...(position !== undefined && { position }),
  }
}

function useSaving(rule: ErrorRule | undefined) {
  const { siteId } = usePlace()
  const reads = ['listErrorRules', 'getRevenueImpact', 'listErrors', 'getError'] as const
  const creating = useWrite('createErrorRule', reads)
  const changing = useWrite('updateErrorRule', reads)
  return {
    save: (wanted: TriedRule) =>
      rule === undefined
        ? creating.send({ body: { siteId, ...wanted } })
        : changing.send({ params: { id: rule.id }, body: wanted }),
    isSending: creating.isSending || changing.isSending,
    error: creating.error ?? changing.error,
  }
}
