import { type EventMapping, standardEvents } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../../api/reads.ts'
import { Button } from '../../kit/button.tsx'
import { AreaField, SelectField, TextField } from '../../kit/field.tsx'
import { Form } from '../../kit/form.tsx'
import { useNotice } from '../../kit/notice.tsx'
import { ProblemNote } from '../../kit/states.tsx'
import { usePlace } from '../../shell/place.ts'
import { eventText } from '../../text/events.ts'
import { text } from '../../text.ts'

/** A rule leads to a standard event and to nothing else. */
export const mappingTargets = standardEvents.map(({ name, category }) => ({
  value: name,
  label: category === undefined ? name : `${name} (${category})`,
}))

/** `total = amount`, one a line. */
function readPairs(typed: string): Record<string, string> {
  const pairs = typed.split('\n').map((line) => line.split('=').map((part) => part.trim()))
  return Object.fromEntries(pairs.filter(([from, to]) => from && to))
}

/** The first line that is no pair, in words; null where there is none. */
function strayLine(typed: string): string | null {
  const lines = typed.split('\n').map((line) => line.trim())
  const stray = lines.find((line) => line !== '' && !/^[^=]*[^=\s][^=]*=[^=]*[^=\s][^=]*$/.test(line))
  return stray === undefined ? null : eventText.mappings.noPair(stray)
}

const writePairs = (map: Readonly<Record<string, string>>) =>
  Object.entries(map)
    .map(([from, to]) => `${from} = ${to}`)
    .join('\n')

export function MappingForm({ rule, onDone }: { rule?: EventMapping; onDone: () => void }) {
  const { siteId } = usePlace()
  const [source, setSource] = useState(rule?.source ?? '')
  const [target, setTarget] = useState(rule?.target ?? mappingTargets[0]?.value ?? '')
  const [pairs, setPairs] = useState(writePairs(rule?.propertyMap ?? {}))
  const creating = useWrite('createMapping', ['listMappings'])
  const changing = useWrite('updateMapping', ['listMappings'])
  const say = useNotice()
  const submit = async () => {
    const propertyMap = readPairs(pairs)
    const made =
      rule === undefined
        ? await creating.send({ body: { siteId, source, target, propertyMap } })
        : await changing.send({ params: { id: rule.id }, body: { siteId, target, propertyMap } })
    if (made === null) return
    say(eventText.mappings.saved(made.source, made.target))
    onDone()
  }
  return (
    <Form onSubmit={submit}>
      <div className="form-row">
        {rule === undefined && (
          <TextField
            label={eventText.mappings.source}
            name="source"
            value={source}
            onChange={setSource}
            isRequired
          />
        )}
        <SelectField
          label={eventText.mappings.target}
          hint={eventText.mappings.targetHint}
          value={target}
          choices={mappingTargets}
          onChange={setTarget}
        />
      </div>
      <AreaField
        label={eventText.mappings.properties}
        hint={eventText.mappings.pairsHint}
        name="propertyMap"
        value={pairs}
        fault={strayLine(pairs)}
        onChange={setPairs}
        rows={3}
      />
      <ProblemNote error={creating.error ?? changing.error} />
      <div className="row">
        <Button type="submit" look="primary" disabled={creating.isSending || changing.isSending}>
          {text.acts.save}
        </Button>
        <Button onClick={onDone}>{text.acts.cancel}</Button>
      </div>
    </Form>
  )
}
