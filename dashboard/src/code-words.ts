import { capitalised } from './plural.ts'
import { text } from './text.ts'

/** A name of the interface as words: `webhook_connection.deleted` is `Webhook connection deleted`. */
export const nameWords = (name: string): string =>
  capitalised(
    name
      .replaceAll(/[._]/g, ' ')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .replaceAll(/\b(?:id|url|api|sql)\b/g, (word) => word.toUpperCase())
      .replaceAll(/\btimezone\b/g, 'time zone'),
  )

/** The words of a code. One that a newer server sends is written as words, too. */
export function codeWords(table: keyof typeof text.codes, code: string): string {
  const words = new Map<string, string>(Object.entries(text.codes[table])).get(code)
  return words ?? nameWords(code)
}
