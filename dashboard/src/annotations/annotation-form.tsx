import { type Annotation, annotationLimits } from '@assay/contract'
import { useState } from 'react'
import { useWrite } from '../api/reads.ts'
import { now } from '../clock.ts'
import { Button } from '../kit/button.tsx'
import { AreaField, SelectField, TextField } from '../kit/field.tsx'
import { Form } from '../kit/form.tsx'
import { useNotice } from '../kit/notice.tsx'
import { ProblemNote } from '../kit/states.tsx'
import { usePlace } from '../shell/place.ts'
import { text } from '../text.ts'

const minuteMs = 60_000
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

/** A moment as the browser's field takes it, in its own time zone. */
function fieldOf(ms: number): string {
  const offsetMs = new Date(ms).getTimezoneOffset() * minuteMs
  return new Date(ms - offsetMs).toISOString().slice(0, 16)
}

type AnnotationFormProps = { annotation: Annotation | null; onClose: () => void }

/** A new annotation, or one that is changed. */
export default function AnnotationForm({ annotation, onClose }: AnnotationFormProps) {
  const { siteId } = usePlace()
  const say = useNotice()
  const words = text.annotations
  const create = useWrite('createAnnotation', ['listAnnotations'])
  const update = useWrite('updateAnnotation', ['listAnnotations'])
  const [at, setAt] = useState(() => fieldOf(annotation === null ? now() : Date.parse(annotation.at)))
  const [note, setNote] = useState(annotation?.text ?? '')
  const [link, setLink] = useState(annotation?.link ?? '')
  const [scope, setScope] = useState<'site' | 'all'>('site')
  const submit = async () => {
    const told = {
      at: new Date(at).toISOString(),
      text: note,
      link: link.trim() === '' ? null : link.trim(),
    }
    const saved =
      annotation === null
        ? await create.send({ body: { ...told, siteId: scope === 'site' ? siteId : null } })
        : await update.send({ params: { id: annotation.id }, body: told })
    if (saved === null) return
    say(words.saved)
    onClose()
  }
  return (
    <Form onSubmit={submit}>
      <AreaField
        label={words.text}
        name="text"
        rows={2}
        value={note}
        isRequired
        fault={
          [...note].length > annotationLimits.textCharactersMax
            ? text.form.atMost(annotationLimits.textCharactersMax)
            : null
        }
        onChange={setNote}
      />
      <div className="form-row">
        <TextField
          label={words.at}
          name="at"
          type="datetime-local"
          value={at}
          isRequired
          hint={words.atHint(zone)}
          onChange={setAt}
        />
        {annotation === null && (
          <SelectField
            label={words.scope}
            value={scope}
            choices={(['site', 'all'] as const).map((value) => ({ value, label: words.scopes[value] }))}
            onChange={setScope}
          />
        )}
      </div>
      <TextField label={words.link} name="link" value={link} hint={words.linkHint} onChange={setLink} />
      <ProblemNote error={annotation === null ? create.error : update.error} />
      <div className="row end">
        <Button onClick={onClose}>{text.acts.cancel}</Button>
        <Button type="submit" look="primary" disabled={create.isSending || update.isSending}>
          {annotation === null ? words.add : text.acts.save}
        </Button>
      </div>
    </Form>
  )
}
