import { isRecord } from '../gate/raw-event.ts'
import { traitPrefix } from '../questions/question-terms.ts'

/** Members of a query that are JSON as text. */
const jsonTexts: readonly string[] = ['filters', 'q']

/**
 * Whether a question, a filter or the input of a call names a trait of people. A value that only looks like one counts
 * too: a caller who may read people can still send it.
 */
export function namesTraits(value: unknown): boolean {
  if (typeof value === 'string') return value.startsWith(traitPrefix)
  if (Array.isArray(value)) return value.some(namesTraits)
  if (!isRecord(value)) return false
  return Object.entries(value).some(([name, member]) =>
    jsonTexts.includes(name) && typeof member === 'string'
      ? namesTraits(parsed(member))
      : namesTraits(member),
  )
}

/** Members of a call that ask something: all others are names, texts and times. */
const asking: readonly string[] = [
  'q',
  'filters',
  'dimension',
  'dimensions',
  'question',
  'tiles',
  'narrowing',
  'rules',
]

/** Whether a query or body asks about a trait. */
export function asksTraits(input: unknown): boolean {
  if (!isRecord(input)) return false
  return namesTraits(Object.fromEntries(Object.entries(input).filter(([name]) => asking.includes(name))))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
