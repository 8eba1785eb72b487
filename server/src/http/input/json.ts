import { cut, Problem } from '@assay/contract'

const reasonCharactersMax = 200

/** A value from text that anyone may have written. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    // The parser quotes a few words of the text.
    const reason = cause instanceof Error ? cut(cause.message, reasonCharactersMax) : 'unreadable'
    throw new Problem('malformed-request', { detail: `The body is not JSON: ${reason}.` })
  }
}
