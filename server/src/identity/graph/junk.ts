/**
 * What programs send when they have no identifier. Collected from the lists that other trackers publish (Segment,
 * PostHog); one of these taken for a person would make one person of everybody.
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
/** One character over and over, as in xxx or ---; repeated digits may well be somebody's number. */
const oneCharacter = /^(\D)\1{2,}$/u
const quotes = /^(['"])(.*)\1$/s

export function isJunk(value: string): boolean {
  const plain = value.replace(quotes, '$2').trim().toLowerCase()
  return plain === '' || junk.has(plain) || zeros.test(plain) || oneCharacter.test(plain)
}
