import { expect, test } from 'vitest'
import { trackSpellings } from '../gate/envelope/track-envelope.ts'
import { isRecord } from '../gate/raw-event.ts'
import { openApi } from '../openapi.ts'
import { problems } from '../problems.ts'
import { problemsOf } from '../route.ts'
import { routes } from '../routes.ts'

/** The value at a path of names; null if there is none. */
function at(value: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (isRecord(found) ? found[name] : null), value)
}

const described = openApi(routes, '1')

/** The target of a reference, or the value itself. */
function resolved(value: unknown): unknown {
  const reference = at(value, '$ref')
  if (typeof reference !== 'string') return value
  const found = at(described, ...reference.split('/').slice(1))
  expect(found, reference).not.toBeNull()
  return found
}

test('the description names every member that the gate reads of an event', () => {
  const read = Object.values(trackSpellings).flat()
  const others = ['event', 'event_key', 'type', 'properties', 'context', 'traits', 'historical', 'writeKey']
  for (const path of ['/v1/track', '/v1/page', '/v1/screen', '/v1/group']) {
    const body = at(described.paths, path, 'post', 'requestBody', 'content', 'application/json', 'schema')
    const members = Object.keys(Object(at(body, 'properties')))
    expect(members, path).toEqual(expect.arrayContaining([...read, ...others]))
  }
})

test('the description gives every answer its limit headers, and every route an address', () => {
  expect(described.servers).toHaveLength(1)
  for (const { path, method, plane } of routes) {
    const operation = at(described.paths, path.replace(/:([A-Za-z_]+)/g, '{$1}'), method.toLowerCase())
    expect(Array.isArray(at(operation, 'servers'))).toBe(plane === 'data')
    for (const [status, answer] of Object.entries(Object(at(operation, 'responses')))) {
      const names = Object.keys(Object(at(resolved(answer), 'headers')))
      expect(names, `${path} ${status}`).toEqual(
        expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
      )
      expect(names.includes('Retry-After')).toBe(status === '429' || status === '503')
    }
  }
})

test('the description names every problem of a route under its status, and each kind of failure once', () => {
  for (const route of routes) {
    const operation = at(
      described.paths,
      route.path.replace(/:([A-Za-z_]+)/g, '{$1}'),
      route.method.toLowerCase(),
    )
    const answers = Object.entries(Object(at(operation, 'responses')))
    const named = answers.flatMap(([status, answer]) => {
      if (at(answer, '$ref') === undefined) return []
      const slugs = String(at(resolved(answer), 'description')).split(', ')
      return slugs.map((slug) => `${status} ${slug}`)
    })
    const expected = [...new Set(problemsOf(route))].map((slug) => `${problems[slug].status} ${slug}`)
    expect(named.toSorted(), route.id).toEqual(expected.toSorted())
    expect(at(operation, 'parameters'), route.id).toSatisfy(
      (given: unknown[]) =>
        given.map(resolved).some((one) => at(one, 'name') === 'Prefer') === Boolean(route.fresh),
    )
  }
  const shared = Object.values(Object(at(described, 'components', 'responses'))).map((one) =>
    JSON.stringify(one),
  )
  expect(new Set(shared).size).toBe(shared.length)
})
