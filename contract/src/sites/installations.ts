import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { OneOf, Time } from '../shapes.ts'

export const installationLimits = {
  addressCharactersMax: 2_048,
  /** Of a page that is read; the tag stands in its head. */
  pageBytesMax: 2_000_000,
  redirectsMax: 5,
  /** For the page with all redirects. */
  fetchSeconds: 15,
  /** Events count as recent for so long. */
  recentMinutes: 15,
  /** Checks of a node at one time. */
  checksAtOnce: 8,
} as const

/** What a check can find, in the order in which it is listed. */
export const installationFindings = [
  'unreachable',
  'page-failed',
  'not-html',
  'page-cut',
  'tag-missing',
  'tag-twice',
  'tag-blocked-insecure',
  'tag-from-other-host',
  'key-missing',
  'key-secret',
  'key-unknown',
  'key-revoked',
  'key-expired',
  'key-of-other-site',
  'csp-script',
  'csp-connect',
  'options-invalid',
  'consent-waits',
  'other-domain',
  'tag-found',
  'events-seen',
  'events-elsewhere',
  'events-missing',
] as const
export type InstallationCode = (typeof installationFindings)[number]

export const findingLevels = ['error', 'warning', 'ok'] as const

export const InstallationFinding = Type.Object({
  code: OneOf(installationFindings),
  level: OneOf(findingLevels),
  detail: Type.String({ description: 'What was found' }),
  nextStep: Type.Union([Type.String(), Type.Null()], {
    description: 'What to do; null where nothing is to do',
  }),
})
export type InstallationFinding = Static<typeof InstallationFinding>

export const InstallationCheck = Type.Object({
  siteId: Type.String(),
  url: Type.String({ description: 'The page that was read, after redirects' }),
  checkedAt: Time,
  level: OneOf(findingLevels, { description: 'The worst of all findings' }),
  findings: Type.Array(InstallationFinding),
  recentEvents: Type.Object(
    { ofPage: Type.Integer(), ofSite: Type.Integer() },
    { description: `Stored events of the last ${installationLimits.recentMinutes} minutes, bots included` },
  ),
})
export type InstallationCheck = Static<typeof InstallationCheck>

export const checkInstallation = route({
  id: 'checkInstallation',
  fresh: 'camel',
  method: 'POST',
  path: '/api/v1/installation-checks',
  plane: 'control',
  tag: 'Sites',
  access: 'write',
  scope: 'analytics:write',
  rate: 'apiWrite',
  summary: 'Read a page of a site and say what keeps its events from arriving',
  description:
    'The product fetches the page without running it: a tag that a tag manager or a bundle adds is not seen, but its ' +
    'events are. Addresses of private networks are refused unless the operator allows them.',
  body: Type.Object(
    {
      siteId: Type.String({ maxLength: 64 }),
      url: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: installationLimits.addressCharactersMax,
          description: 'An http or https address; the home page of the site unless said',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: InstallationCheck },
  problems: lookupProblems,
  audit: { action: 'installation.checked', details: ['siteId'] },
})

export const installationRoutes = [checkInstallation] as const
