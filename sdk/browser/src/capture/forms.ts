import { describeElement, elementOf } from '../element.ts'
import { type Capture, listen } from './capture.ts'

/** That a form was sent, and which: what was written into it is never looked at. */
export function captureForms(capture: Capture): void {
  listen(capture, 'submit', (event) => {
    const form = elementOf(event)
    if (!form) return
    const { selector } = describeElement(form)
    // A field called `id` or `name` would stand in the way of the form's own.
    const id = form.getAttribute('id') ?? form.getAttribute('name') ?? selector
    const name = form.getAttribute('name') ?? form.getAttribute('aria-label') ?? undefined
    const fields = form.querySelectorAll(
      'input:not([type=hidden],[type=submit],[type=button]),select,textarea',
    )
    capture.track('$form_submit', { form_id: id, form_name: name, field_count: fields.length, selector })
  })
}
