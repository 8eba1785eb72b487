/** The longest identifier of a person, device, session, group or order, in UTF-16 units. */
export const identifierCharactersMax = 512
/** The URL of a receipt contains the event id. */
export const eventIdCharactersMax = 200

export type IdentifierRefusal = 'empty' | 'too_long' | 'malformed'
type NormalIdentifier = { value: string } | { refused: IdentifierRefusal }

/** NFC makes a text at most four times shorter in UTF-16, so a longer text is too long in any case. */
const compositionMax = 4
/** Printable ASCII without a space is its own normal form. That is nearly every identifier. */
const plainAscii = /^[\x21-\x7e]+$/
/**
 * No one types control characters, and the stores cannot store all of them. A lone surrogate is not a
 * character: replacing it would merge two people whose identifiers are broken in different ways.
 */
const unusable = /[\p{Cc}\p{Cs}]/u

/**
 * The one normal form of an identifier: trimmed, NFC, well-formed, without control characters, of bounded
 * length. It is made where a value enters; the gate, consent, suppression, dedup, recordings, destinations
 * and stores compare only normal forms, so no other spelling can bypass a decision.
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
