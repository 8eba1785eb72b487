import { ApiProblem } from '@assay/contract'
import { text } from '../text.ts'
import { Unreachable } from './connection.ts'

/** The error in words, and what an operator needs to find it. */
type ProblemText = { title: string; detail: string; fields: readonly string[]; reference: string }

export function describeProblem(error: Error): ProblemText {
  if (error instanceof Unreachable || error.name === 'TimeoutError') {
    return { ...text.states.unreachable, fields: [], reference: '' }
  }
  if (!(error instanceof ApiProblem)) {
    return { title: text.states.broken.title, detail: error.message, fields: [], reference: '' }
  }
  const wrong = error.body.errors ?? []
  const isSaid = wrong.length === 1 && error.detail.startsWith(`${wrong[0]?.field} ${wrong[0]?.message}`)
  const fields = isSaid ? [] : wrong.map(({ field, message }) => `${field}: ${plainWords(message)}`)
  const [title = error.message] = [error.body.title]
  // The detail for programs names the checks themselves; the fields explain it in words.
  const detail = fields.length > 0 && /^Correct the /.test(error.detail) ? text.states.invalid : error.detail
  return { title, detail, fields, reference: error.instance }
}

export const isRefused = (error: Error | null): boolean => error instanceof ApiProblem && error.status === 403
export const isMissing = (error: Error | null): boolean => error instanceof ApiProblem && error.status === 404

const checks: readonly (readonly [RegExp, (found: string) => string])[] = [
  [/^must NOT have more than (\d+) characters$/, (most) => text.form.atMost(Number(most))],
  [
    /^must NOT have fewer than (\d+) characters$/,
    (least) => (least === '1' ? text.form.needed : text.form.atLeast(Number(least))),
  ],
  [/^must NOT have more than (\d+) (?:items|properties)$/, text.form.noMoreThan],
  [/^must NOT have fewer than (\d+) (?:items|properties)$/, text.form.noFewerThan],
  [/^must be >= (\S+)$/, text.form.orMore],
  [/^must be > (\S+)$/, text.form.above],
  [/^must be <= (\S+)$/, text.form.orLess],
  [/^must be < (\S+)$/, text.form.below],
  [/^must be integer$/, () => text.form.whole],
  [/^must be number$/, () => text.form.number],
  [/^must have required property/, () => text.form.needed],
  [/^must match (?:format "uri"|pattern .*https)/, () => text.form.url],
  [/^must match (?:pattern|format)/, () => text.form.unreadable],
  [/^must be equal to one of/, () => text.form.notOffered],
]

/** A check's message for people who do not know the check. */
export function plainWords(message: string): string {
  for (const [pattern, words] of checks) {
    const found = pattern.exec(message)
    if (found !== null) return words(found[1] ?? '')
  }
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${message.endsWith('.') ? '' : '.'}`
}
