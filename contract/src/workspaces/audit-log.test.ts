import { expect, test } from 'vitest'
import type { RouteShape } from '../route.ts'
import { routes } from '../routes.ts'

/**
 * Writes that submit data or concern the caller only, and change no access of others, contract, policy or
 * setting.
 */
const unaudited: readonly string[] = ['revokeSession', 'sendWorkspaceImport']

const writes = routes.filter(
  ({ access, method }) => access === 'write' || (access === 'person' && method !== 'GET'),
)
const audited = routes.filter((route) => route.audit !== undefined)

test.each(writes.map((route) => ({ id: route.id, route })))(
  'what $id changes is written down',
  ({ route }) => {
    expect(route.audit !== undefined || unaudited.includes(route.id)).toBe(true)
  },
)

const membersOf = (shape: object | null | undefined): string[] =>
  Object(shape).allOf?.flatMap(membersOf) ?? Object.keys(Object(Object(shape).properties))

const namesOf = ({ body, query, success }: RouteShape) =>
  [body, query, success.body].flatMap((shape) => membersOf(shape))

test.each(audited.map((route) => ({ id: route.id, route })))(
  'the entry of $id is well formed and keeps no secret',
  ({ route }) => {
    expect(route.audit?.action).toMatch(/^[a-z_]+\.[a-z_]+$/)
    for (const name of route.audit?.details ?? []) {
      expect(namesOf(route), `${route.id} has no ${name}`).toContain(name)
      expect(name).not.toMatch(/secret|token|password|hash|^key$|link|url/i)
    }
  },
)
