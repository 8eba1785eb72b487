import { expect, test } from 'vitest'
import { narrowed, requireSoundQuestion } from './questions.ts'

const german = ['is', 'country', ['DE']]
const mobile = ['is', 'device', ['mobile']]
const text = JSON.stringify

test('filters of a question, of a board and of a link have to hold all together', () => {
  const asked = narrowed('overview', { filters: text([german]) }, [{}, { filters: text([mobile]) }])
  expect(asked).toEqual({ filters: text([german, mobile]) })
  // A funnel is asked in a body, where they are no text.
  const steps = [{ event: '$pageview' }, { event: '$purchase' }]
  const funnel = narrowed('funnel', { steps, filters: [german] }, [{ filters: text([mobile]), window: '7d' }])
  expect(funnel).toEqual({ steps, filters: [german, mobile], window: '7d' })
  expect(requireSoundQuestion('funnel', funnel).question).toEqual(funnel)
})

test.each(['[', '{}', '[["is","nowhere",["x"]]]', '[["is"]]'])(
  'filters such as %s are refused',
  (filters) => {
    expect(() => narrowed('overview', {}, [{ filters }])).toThrow()
    expect(() => requireSoundQuestion('overview', { filters })).toThrow()
  },
)

test('errors take no filters', () => {
  expect(() => narrowed('errors', {}, [{ filters: text([german]) }])).toThrow(/cannot be applied to errors/)
})
