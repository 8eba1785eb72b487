import { expect, test } from 'vitest'
import { isRecord } from './gate/raw-event.ts'
import { openInputs } from './maxima.ts'
import { routes } from './routes.ts'

type Found = { route: string; place: string; lacks: string }

/** An anchored pattern without unbounded repeats limits a text as well as a maximum does. */
const isBounded = (pattern: string) =>
  pattern.startsWith('^') && pattern.endsWith('$') && !/[*+]|,}/.test(pattern)

function lacking(shape: unknown, place: string): { place: string; lacks: string }[] {
  if (!isRecord(shape)) return []
  const below = (key: string, value: unknown) => lacking(value, `${place}.${key}`)
  const { anyOf, oneOf, allOf, type, items, properties, patternProperties, additionalProperties } = shape
  if ('const' in shape || 'enum' in shape) return []
  const branches = [anyOf, oneOf, allOf].filter(Array.isArray).flat()
  if (branches.length > 0) return branches.flatMap((branch) => lacking(branch, place))
  if (type === 'string') {
    const isPatterned = typeof shape.pattern === 'string' && isBounded(shape.pattern)
    return shape.maxLength === undefined && !isPatterned ? [{ place, lacks: 'maxLength' }] : []
  }
  if (type === 'array') {
    const own = shape.maxItems === undefined ? [{ place, lacks: 'maxItems' }] : []
    return [...own, ...below('[]', items)]
  }
  if (type === 'object') {
    const isOpen = patternProperties !== undefined || isRecord(additionalProperties)
    const own = isOpen && shape.maxProperties === undefined ? [{ place, lacks: 'maxProperties' }] : []
    const members = [properties, patternProperties].filter(isRecord).flatMap((each) => Object.entries(each))
    const named = members.flatMap(([name, member]) => below(name, member))
    return [...own, ...named, ...(isRecord(additionalProperties) ? below('*', additionalProperties) : [])]
  }
  if (type === undefined && !('$ref' in shape)) return [{ place, lacks: 'a shape' }]
  return []
}

test('every text, list and open member that a route takes has a maximum, or a named reason to have none', () => {
  const found = routes.flatMap((route): Found[] =>
    (['params', 'query', 'body'] as const).flatMap((part) =>
      lacking(route[part], part).map((one) => ({ route: route.id, ...one })),
    ),
  )
  const isNamed = ({ route, place }: Found) => Object.hasOwn(openInputs, `${route} ${place}`)
  expect(found.filter((one) => !isNamed(one))).toEqual([])
  const places = new Set(found.map(({ route, place }) => `${route} ${place}`))
  expect(Object.keys(openInputs).filter((place) => !places.has(place))).toEqual([])
})

/** All patterns for keys of objects, at any depth. */
function keyPatterns(shape: unknown): string[] {
  if (Array.isArray(shape)) return shape.flatMap(keyPatterns)
  if (!isRecord(shape)) return []
  const own = isRecord(shape.patternProperties) ? Object.keys(shape.patternProperties) : []
  return [...(shape.additionalProperties === false ? [] : own), ...Object.values(shape).flatMap(keyPatterns)]
}

test('no key of an object gets past the shape of its values, whatever characters it has', () => {
  const shapes = routes.flatMap((route) => [route.body, route.success.body, route.otherSuccess?.body])
  const patterns = [...new Set(shapes.flatMap(keyPatterns))]
  expect(patterns.length).toBeGreaterThan(0)
  const odd = ['', 'a\nb', '\r\n', '\u2028', '\0', '\ud800', '__proto__']
  const missed = patterns.filter((pattern) => !odd.every((key) => new RegExp(pattern, 'u').test(key)))
  expect(missed).toEqual([])
})
