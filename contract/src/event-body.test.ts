import { expect, test } from 'vitest'
import { isRecord } from './gate/raw-event.ts'
import { trackSpellings } from './gate/track-envelope.ts'
import { openApi } from './openapi.ts'
import { routes } from './routes.ts'

/** What is under a path of names; null where there is nothing. */
function at(value: unknown, ...names: string[]): unknown {
  return names.reduce((found, name) => (isRecord(found) ? found[name] : null), value)
}

const described = openApi(routes, '1')

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
      const names = Object.keys(Object(at(answer, 'headers')))
      expect(names, `${path} ${status}`).toEqual(
        expect.arrayContaining(['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']),
      )
      expect(names.includes('Retry-After')).toBe(status === '429' || status === '503')
    }
  }
})
