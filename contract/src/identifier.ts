/** The longest identifier of a person, device, session, group or order, in UTF-16 units. */
export const identifierCharactersMax = 512
/** The receipt of an event is addressed by its id, which must fit into an address. */
export const eventIdCharactersMax = 200

export type IdentifierRefusal = 'empty' | 'too_long' | 'malformed'
export type NormalIdentifier = { value: string } | { refused: IdentifierRefusal }

/** NFC makes a text at most four times shorter in UTF-16, so anything above that is too long whatever it holds. */
const compositionMax = 4
/** Printable ASCII without a space is its own normal form. That is nearly every identifier there is. */
const plainAscii = /^[\x21-\x7e]+$/
/**
 * Nobody types control characters, and the stores do not hold all of them. Half a surrogate pair is no character:
 * replacing it would make one person of two whose identifiers are broken in different ways.
 */
const unusable = /[\p{Cc}\p{Cs}]/u

/**
 * The one normal form of an identifier: trimmed, NFC, well-formed, without control characters, of bounded length. It
 * is made where a value enters; the gate, consent, suppression, dedup, recordings, destinations and stores compare
 * nothing else, so no second spelling can pass by a decision about the first.
 */
export function normalIdentifier(text: string, charactersMax = identifierCharactersMax): NormalIdentifier {
  const trimmed = text.trim()
  if (trimmed.length <= charactersMax && plainAscii.test(trimmed)) return { value: trimmed }
  if (trimmed === '') return { refused: 'empty' }
  if (trimmed.length > charactersMax * compositionMax) return { refused: 'too_long' }
  if (unusable.test(trimmed)) return { refused: 'malformed' }
  const value = trimmed.normalize('NFC')
  return value.length > charactersMax ? { refused: 'too_long' } : { value }
}
