import { nameWords } from '../../code-words.ts'
import type { PickerGroup } from '../../kit/picker.tsx'

/** Put in by vite.config.ts from the routes that say what they write to the log. */
declare const __AUDIT_ACTIONS__: readonly string[]

/** What members and keys can do, in words. What the system itself writes can be typed. */
export const auditActions: readonly PickerGroup[] = [
  {
    label: '',
    items: __AUDIT_ACTIONS__.map((value) => ({ value, label: nameWords(value) })),
  },
]
