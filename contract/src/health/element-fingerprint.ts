import { type Static, Type } from 'typebox'
import { Dictionary } from '../shapes.ts'

const short = Type.String({ maxLength: 200 })
const pixels = Type.Integer()

/**
 * How the browser SDK describes an element besides `selector` and `text`, as the property `fingerprint` of
 * `$click`: enough to find the element again after the page was rebuilt. No member contains what a visitor
 * typed.
 */
export const ElementFingerprint = Type.Object({
  tag: Type.String({ maxLength: 200, description: 'Lower case, such as button' }),
  role: Type.String({ maxLength: 200, description: 'As the page says or the tag implies; empty for none' }),
  id: Type.String({ maxLength: 200, description: 'Empty when there is none or a framework numbered it' }),
  classes: Type.Array(short, { description: 'Those that a person named; generated ones are left out' }),
  attributes: Dictionary(short, {
    description:
      'Of name, type, aria-label, title, alt, data-testid, data-test and href (path or host) what it has',
  }),
  ancestors: Type.Array(short, {
    description: 'The nearest six, outermost first: body, main, form#checkout',
  }),
  position: Type.Object(
    { x: pixels, y: pixels, width: pixels, height: pixels },
    { description: 'On the page, in CSS pixels' },
  ),
})
export type ElementFingerprint = Static<typeof ElementFingerprint>
