import { expect, test } from 'vitest'
import { dimensionText, valueText } from './value-words.ts'

test('places are written by their names, and what has none stays as it is', () => {
  const said = [
    ['country', 'DE'],
    ['country', 'Atlantis'],
    ['region', 'DE-BY'],
    ['region', 'DE-QQQ'],
    ['city', 'Springfield (US-IL)'],
    ['city', 'Berlin (DE-BE)'],
    ['city', 'Geneva (CH)'],
    ['city', 'no such form'],
    ['page', '/DE'],
  ].map(([dimension = '', value = '']) => valueText(dimension, value))
  expect(said).toEqual([
    'Germany',
    'Atlantis',
    'Bavaria, Germany',
    'DE-QQQ, Germany',
    'Springfield, Illinois',
    'Berlin, Germany',
    'Geneva, Switzerland',
    'no such form',
    '/DE',
  ])
})

test('dimensions are words, and a property keeps its name', () => {
  const names = ['time:day', 'entryPage', 'utm.campaign', 'os', 'country', 'property:planName', 'trait:Seats']
  expect(names.map(dimensionText)).toEqual([
    'Day',
    'Entry page',
    'UTM campaign',
    'Operating system',
    'Country',
    'planName',
    'Seats',
  ])
})
