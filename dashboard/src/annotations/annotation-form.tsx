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
import { useSession } from '../shell/session.ts'
import { text } from '../text.ts'
import { zonedField, zonedMs } from '../zoned-time.ts'

const momentOf = (annotation: Annotation | null): number =>
  annotation === null ? now() : Date.parse(annotation.at)

const longest = annotationLimits.textCharactersMax
const textFault = (note: string): string | null =>
  [...note].length > longest ? text.form.atMost(longest) : null

type AnnotationFormProps = { annotation: Annotation | null; onClose: () => void }

/** A new annotation, or one that is changed. */
export default function AnnotationForm({ annotation, onClose }: AnnotationFormProps) {
  const { siteId } = usePlace()
  const { timezone } = useSession().site
  const say = useNotice()
  const words = text.annotations
  const create = useWrite('createAnnotation', ['listAnnotations'])
  const update = useWrite('updateAnnotation', ['listAnnotations'])
  const [at, setAt] = useState(() => zonedField(momentOf(annotation), timezone))
  const [note, setNote] = useState(annotation?.text ?? '')
  const [link, setLink] = useState(annotation?.link ?? '')
  const [scope, setScope] = useState<'site' | 'all'>('site')
  const submit = async () => {
    const told = {
      at: new Date(zonedMs(at, timezone)).toISOString(),
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
        fault={textFault(note)}
        onChange={setNote}
      />
      <div className="form-row">
        <TextField
          label={words.at}
          name="at"
          type="datetime-local"
          value={at}
          isRequired
          hint={text.time.inSiteZone(timezone)}
          fault={at !== '' && Number.isNaN(zonedMs(at, timezone)) ? text.form.unreadable : null}
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
