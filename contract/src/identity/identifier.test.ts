import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyCharacter } from '../../../server/src/testing/any-character.ts'
import { readIngest } from '../gate/envelope/ingest-envelope.ts'
import { readTrack } from '../gate/envelope/track-envelope.ts'
import type { RawEvent, Reading } from '../gate/raw-event.ts'
import { identifierCharactersMax, normalIdentifier } from './identifier.ts'

/** Texts with combining letters, spaces of all kinds, control characters and lone surrogates. */
const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.string({ unit: anyCharacter, maxLength: 4 }),
      fc.constantFrom('e\u0301', 'é', '\u1112\u1161\u11ab', '한', 'ᾂ', '\u2126', 'Ω', '\u2000', '\u2002'),
      fc.constantFrom(' ', '\t', '\n', '\u00a0', '\ufeff', '\u0000', '\u0007', '\u0085', '\ud800', '\udc00'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''))

/** Other texts that mean the same. */
const spellings = (value: string): string[] => [
  ` ${value}`,
  `${value}\n`,
  `\u00a0\t${value}\ufeff`,
  value.normalize('NFD'),
  value.normalize('NFC'),
  ` ${value.normalize('NFD')} `,
]

/** Spellings differ only by their length as sent. */
const eventOf = (reading: Reading): RawEvent => {
  if (reading.kind !== 'event') throw new Error(`read as ${reading.kind}`)
  return { ...reading.event, envelopeBytes: 0 }
}

test('the normal form of a normal form is itself, and it is trimmed, composed, well-formed and printable', () => {
  fc.assert(
    fc.property(text, (value) => {
      const normal = normalIdentifier(value)
      if ('refused' in normal) return
      expect(normalIdentifier(normal.value)).toEqual(normal)
      expect(normal.value).toBe(normal.value.trim().normalize('NFC').toWellFormed())
      expect(normal.value).not.toMatch(/\p{Cc}/u)
      expect(normal.value).not.toBe('')
    }),
    { numRuns: 5_000 },
  )
})

test('every spelling of an identifier has its normal form', () => {
  fc.assert(
    fc.property(text, (value) => {
      const normal = normalIdentifier(value)
      for (const spelling of spellings(value)) expect(normalIdentifier(spelling)).toEqual(normal)
    }),
    { numRuns: 5_000 },
  )
})

const members = ['user_id', 'anonymous_id', 'person_id', 'session_id', 'event_id'] as const

test('every spelling of an identifier is read into the same event, by every endpoint', () => {
  fc.assert(
    fc.property(text, fc.constantFrom(...members), (value, member) => {
      for (const read of [readTrack, readIngest]) {
        const sent = (spelling: string) => ({ event: 'x', type: 'x', properties: {}, [member]: spelling })
        const first = eventOf(read(sent(value)))
        for (const spelling of spellings(value)) expect(eventOf(read(sent(spelling)))).toEqual(first)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('an alias and a group are read in the normal form too', () => {
  expect(readTrack({ type: 'alias', previousId: ' a\u0301 ', userId: 'u\n' })).toMatchObject({
    alias: { previousId: '\u00e1', userId: 'u' },
  })
  const group = eventOf(readTrack({ type: 'group', userId: 'u', groupId: ' g ' }))
  expect(group.properties.group_id).toBe('g')
})

test('the longest identifier passes, one longer is refused, and 4 MB are refused without being looked through', () => {
  const longest = 'é'.repeat(identifierCharactersMax)
  expect(normalIdentifier(` ${longest.normalize('NFD')} `)).toEqual({ value: longest })
  expect(normalIdentifier(`${longest}x`)).toEqual({ refused: 'too_long' })
  expect(normalIdentifier('x'.repeat(4_000_000))).toEqual({ refused: 'too_long' })
})

test.each([
  ['a control character', 'u\u0000'],
  ['half a surrogate pair', 'u\ud800'],
  ['too many characters', 'u'.repeat(identifierCharactersMax + 1)],
  ['a number beyond 2^53', 2 ** 53],
])('an identifier with %s refuses the event and says what to send', (_, value) => {
  for (const member of members) {
    const { findings, ...event } = eventOf(readTrack({ event: 'x', [member]: value }))
    const finding = findings.find(({ code }) => code === 'malformed_event')
    expect(finding).toMatchObject({ field: member })
    expect(finding?.message).toMatch(/^Send /)
    expect(JSON.stringify(event)).not.toContain('uuu')
  }
})
