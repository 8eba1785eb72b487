/**
 * Placeholders that programs send without an identifier. Collected from the published lists of other trackers
 * (Segment, PostHog); treating one of these as an identifier would merge everyone.
 */
const junk: ReadonlySet<string> = new Set([
  '-1',
  'anonymous',
  'distinct_id',
  'distinctid',
  'email',
  'false',
  'guest',
  'id',
  'n/a',
  'na',
  'nan',
  'nil',
  'none',
  'not_authenticated',
  'null',
  'test',
  'true',
  'undefined',
  'unknown',
  'user_id',
  'userid',
  'void',
  '[object object]',
  '{}',
  '[]',
])

/** Nothing but zeros and dashes: 0, 000, and the nil UUID. */
const zeros = /^[0-]+$/
/** One repeated character, as in xxx or ---; repeated digits may be a real number. */
const oneCharacter = /^(\D)\1{2,}$/u
const quotes = /^(['"])(.*)\1$/s

export function isJunk(value: string): boolean {
  const plain = value.replace(quotes, '$2').trim().toLowerCase()
  return plain === '' || junk.has(plain) || zeros.test(plain) || oneCharacter.test(plain)
}
