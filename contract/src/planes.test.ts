import { expect, test } from 'vitest'
import { routes } from './routes.ts'

/** The specification of the planes has these on the data address; everything else is on the other one. */
const onData = [
  'POST /v1/track',
  'POST /v1/batch',
  'POST /v1/identify',
  'POST /v1/alias',
  'POST /v1/webhook/:provider',
]

/** All routes in the three specifications. */
const specified = [
  ...['GET /api/v1/sites', 'GET /api/v1/sites/:id', 'POST /api/v1/sites', 'POST /api/ingest'],
  ...['overview', 'funnels', 'flow-graph', 'milestones', 'health', 'drift'].map(
    (read) => `GET /api/analytics/${read}`,
  ),
  ...['GET /api/events/catalog', 'POST /api/events/definitions'],
  ...['GET /api/cli/audiences', 'POST /api/cli/audiences'],
  ...['GET /api/v1/errors/revenue-impact', 'POST /api/event-mappings'],
  ...['magic-link', 'magic-link/verify', 'session/refresh', 'session/revoke', 'api-keys'].map(
    (act) => `POST /v1/auth/${act}`,
  ),
  'GET /v1/auth/oauth/:provider',
  ...onData,
  ...['GET /v1/registry/events', 'POST /v1/registry/events', 'GET /v1/registry/events/:key'],
  ...['POST /v1/registry/validate', 'GET /v1/registry/code-gen', 'GET /v1/registry/packs'],
  ...['POST /v1/identity/resolve', 'GET /v1/identity/person/:id', 'GET /v1/identity/person/:id/timeline'],
  ...['POST /v1/identity/merge', 'GET /v1/identity/merge-ledger'],
  ...['GET /v1/health/events', 'GET /v1/health/events/:key', 'GET /v1/health/anomalies'],
  ...['GET /v1/health/coverage', 'POST /v1/health/dedup-check'],
  ...['POST /v1/attribution/policy', 'POST /v1/attribution/compute'],
  ...['GET /v1/attribution/touchpoints/:personId', 'GET /v1/attribution/explain/:outcomeId'],
  ...['POST /v1/consent', 'GET /v1/consent/:personId'],
  ...['POST /v1/consent/dsr/export', 'POST /v1/consent/dsr/forget'],
]

test('every specified route is served on the address that its specification names', () => {
  expect(new Set(specified).size).toBe(51)
  const misplaced = specified.filter((name) => {
    const plane = onData.includes(name) ? 'data' : 'control'
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)
    return route === undefined || (route.plane !== plane && route.alsoOn !== plane)
  })
  expect(misplaced).toEqual([])
})

test('consent is recorded on both addresses', () => {
  const consent = routes.find(({ id }) => id === 'recordConsent')
  expect([consent?.plane, consent?.alsoOn].toSorted()).toEqual(['control', 'data'])
})
