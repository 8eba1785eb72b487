import type { Control } from '../store/control.ts'
import { textTable } from '../store/people/person-text-table.ts'
import type { PersonalDataPlace } from '../store/people/personal-data.ts'
import { emptyAnnotations, selectNamingAnnotations } from './personal-data-store.ts'

/** A text or a link that names a person. Who wrote it is left out of the archive: that is about the member. */
export function annotationData(control: Control): PersonalDataPlace[] {
  return [
    textTable({
      control,
      name: 'annotations',
      method: 'text and link emptied',
      select: selectNamingAnnotations,
      change: emptyAnnotations,
      exported: ({ at, words, link }) => ({ at, text: words, link }),
    }),
  ]
}
