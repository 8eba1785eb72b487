import { describeElement, elementOf } from '../page/element.ts'
import { type Capture, listen } from './capture.ts'

/** That a form was submitted, and which one: field values are never read. */
export function captureForms(capture: Capture): void {
  listen(capture, 'submit', (event) => {
    const form = elementOf(event)
    if (!form) return
    const { selector } = describeElement(form)
    // A field named `id` or `name` would shadow the form's own property.
    const id = form.getAttribute('id') ?? form.getAttribute('name') ?? selector
    const name = form.getAttribute('name') ?? form.getAttribute('aria-label') ?? undefined
    const fields = form.querySelectorAll(
      'input:not([type=hidden],[type=submit],[type=button]),select,textarea',
    )
    capture.track('$form_submit', { form_id: id, form_name: name, field_count: fields.length, selector })
  })
}
