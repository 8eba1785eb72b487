import { expect, test } from 'vitest'
import { narrowed, requireSoundQuestion } from './questions.ts'

const german = ['is', 'country', ['DE']] as const
const mobile = ['is', 'device', ['mobile']] as const

test('filters of a question, of a board, of a link and of a request have to hold all together', () => {
  const board = { filters: [mobile], path: '/cart' }
  const request = { filters: JSON.stringify([['isSet', 'utm.campaign']]), audience: 'aud_1' }
  const asked = narrowed({ path: '/shop', filters: [german] }, [board, {}, request])
  expect(asked).toEqual({
    path: '/shop',
    filters: [
      german,
      ['is', 'page', ['/cart']],
      mobile,
      ['inAudience', ['aud_1']],
      ['isSet', 'utm.campaign'],
    ],
  })
  expect(requireSoundQuestion('overview', asked).question).toEqual(asked)
})

test('a later period takes the place of an earlier one, and leaves the zone', () => {
  const asked = narrowed({ window: '30d', timezone: 'UTC' }, [
    { from: '2026-11-01', to: '2026-11-02' },
    { window: '7d' },
  ])
  expect(asked).toEqual({ window: '7d', timezone: 'UTC' })
})

test.each(['[', '{}', '[["is","nowhere",["x"]]]', '[["is"]]'])(
  'filters such as %s are refused',
  (filters) => {
    expect(() => narrowed({}, [{ filters }])).toThrow()
    expect(() => requireSoundQuestion('overview', { filters })).toThrow()
  },
)

test.each([
  [{}, 'question.metrics'],
  [{ metrics: ['visitors'], siteId: 'site_1' }, 'question.siteId'],
  [{ metrics: ['nothing'] }, 'question.metrics[0]'],
  [{ metrics: ['visitors'], dimensions: ['nowhere'] }, 'question.dimensions[0]'],
  [{ metrics: ['visitors'], filters: [['is', 'nowhere', ['x']]] }, 'question.filters[0]'],
])('the query %j is refused at %s', (question, field) => {
  const refused = () => requireSoundQuestion('query', question)
  expect(refused).toThrow(expect.objectContaining({ options: expect.anything() }))
  expect(refused).toThrow(field)
})
