import { type Static, Type } from 'typebox'
import { consentRegimes } from '../gate/consent.ts'
import { accessProblems, lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, Page, paging, Time } from '../shapes.ts'

/** What happens to an event whose purpose its person denies. */
export const deniedActs = ['reject', 'anonymous'] as const

/**
 * Event ids are known for 30 days and baselines cover 28, so a shorter retention would break other
 * guarantees.
 */
export const eventRetentionDaysMin = 30
/** Ten years; events kept longer are kept forever. */
export const eventRetentionDaysMax = 3_650
const RetentionDays = Type.Union(
  [Type.Integer({ minimum: eventRetentionDaysMin, maximum: eventRetentionDaysMax }), Type.Null()],
  { description: "After how many days, of the site's time zone, events are removed; null: never" },
)

/** A source of events: a web site, an app, a backend. */
export const Site = Type.Object({
  id: Type.String(),
  name: Type.String(),
  domain: Type.String(),
  timezone: Type.String({ description: 'IANA name; days of reports begin at its midnight' }),
  currency: Type.Union([Type.String(), Type.Null()], {
    description:
      'ISO 4217; money in reports is in this currency. Null until the first amount arrives, whose it takes',
  }),
  consentRegime: Type.Union([OneOf(consentRegimes), Type.Null()], {
    description: 'By which law events are judged; a site without a regime needs no consent',
  }),
  onDenied: OneOf(deniedActs, {
    description:
      'What becomes of an event whose purpose is denied: refused, or counted without any identifier',
  }),
  eventRetentionDays: RetentionDays,
  retainedSince: Type.Union([Time, Type.Null()], {
    description: 'Events before this were removed by the retention of the site; null: none were',
  }),
  status: OneOf(['active']),
  ingestToken: Type.Optional(Type.String({ description: 'Only shown to a live key' })),
  createdAt: Time,
})
export type Site = Static<typeof Site>

const fields = {
  name: Type.String({ minLength: 1, maxLength: 120 }),
  domain: Type.String({ minLength: 1, maxLength: 253, description: 'Host name, without scheme or path' }),
  timezone: Type.String({ minLength: 1, maxLength: 64, default: 'UTC' }),
  currency: Type.String({
    pattern: '^[A-Z]{3}$',
    description: 'ISO 4217; unless said, that of the first amount that arrives',
  }),
  consentRegime: Type.Union([OneOf(consentRegimes), Type.Null()], { default: null }),
  onDenied: OneOf(deniedActs, { default: 'reject' }),
  eventRetentionDays: RetentionDays,
}
/** What the audit log stores of a change. */
const details = [
  'name',
  'domain',
  'timezone',
  'currency',
  'consentRegime',
  'onDenied',
  'eventRetentionDays',
] as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })

export const listSites = route({
  id: 'listSites',
  method: 'GET',
  path: '/api/v1/sites',
  plane: 'control',
  access: 'read',
  scope: 'sites:read',
  rate: 'apiRead',
  tag: 'Sites',
  summary: 'List all sites',
  query: Type.Object(paging, { additionalProperties: false }),
  success: { status: 200, body: Page(Site) },
  problems: accessProblems,
})

export const getSite = route({
  id: 'getSite',
  method: 'GET',
  path: '/api/v1/sites/:id',
  plane: 'control',
  access: 'read',
  scope: 'sites:read',
  rate: 'apiRead',
  tag: 'Sites',
  summary: 'Get one site',
  params: byId,
  success: { status: 200, body: Site },
  problems: lookupProblems,
})

export const createSite = route({
  id: 'createSite',
  method: 'POST',
  path: '/api/v1/sites',
  plane: 'control',
  access: 'write',
  scope: 'sites:write',
  rate: 'apiWrite',
  tag: 'Sites',
  summary: 'Create a site',
  body: Type.Object(
    {
      name: fields.name,
      domain: fields.domain,
      timezone: Type.Optional(fields.timezone),
      currency: Type.Optional(fields.currency),
      consentRegime: Type.Optional(fields.consentRegime),
      onDenied: Type.Optional(fields.onDenied),
      eventRetentionDays: Type.Optional(fields.eventRetentionDays),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: Site },
  audit: { action: 'site.created', details },
  problems: [...accessProblems, 'conflict'],
})

export const updateSite = route({
  id: 'updateSite',
  method: 'PATCH',
  path: '/api/v1/sites/:id',
  plane: 'control',
  access: 'write',
  scope: 'sites:write',
  rate: 'apiWrite',
  tag: 'Sites',
  summary: 'Change name, domain, time zone, currency, consent or retention of a site',
  description:
    'A shorter retention removes events permanently, within the hour: getEventRetention shows which ones first.',
  params: byId,
  body: Type.Partial(Type.Object(fields), { additionalProperties: false, minProperties: 1 }),
  success: { status: 200, body: Site },
  audit: { action: 'site.updated', details },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const rotateSiteToken = route({
  id: 'rotateSiteToken',
  method: 'POST',
  path: '/api/v1/sites/:id/rotate-token',
  plane: 'control',
  access: 'write',
  scope: 'sites:write',
  rate: 'apiWrite',
  tag: 'Sites',
  summary: 'Replace the ingest token of a site',
  description: 'The old token stops working at once.',
  params: byId,
  success: { status: 200, body: Site },
  audit: { action: 'site.token_rotated' },
  problems: lookupProblems,
})

export const siteRoutes = [listSites, getSite, createSite, updateSite, rotateSiteToken] as const
