import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { route } from '../route.ts'
import { emailLengthMax, exact, OneOf, Page, paging, Time } from '../shapes.ts'
import { Narrowing } from './reports.ts'

export const digestLimits = {
  /** Of a site. */
  digestsMax: 50,
  /** Who receive it. */
  recipientsMax: 20,
  /** With those who unsubscribed: they stay, so that no one subscribes them again by mistake. */
  knownRecipientsMax: 100,
  /** A mail that no server takes is given up after this. */
  retryHours: 24,
  /** To one address, from one workspace. */
  testsPerHour: 20,
  /** Rows of fewer visitors are left out of a mail: they could be about one person. */
  visitorsMin: 5,
} as const

export const digestTypes = ['board', 'overview'] as const
export const digestFrequencies = ['weekly', 'monthly'] as const
export type DigestFrequency = (typeof digestFrequencies)[number]

/** The period follows from the frequency. */
export const DigestNarrowing = Type.Omit(Narrowing, ['from', 'to', 'window', 'timezone'], {
  ...exact,
  description: 'Filters for all that the mail says; the period follows from the frequency',
})
export type DigestNarrowing = Static<typeof DigestNarrowing>

const nullableTime = Type.Union([Time, Type.Null()])
const nullableText = Type.Union([Type.String(), Type.Null()])
const weekday = Type.Integer({
  minimum: 1,
  maximum: 7,
  description: 'Of weekly ones: 1 is Monday. Monthly ones are sent on the first day of the month',
})
const hour = Type.Integer({ minimum: 0, maximum: 23, description: "In the site's time zone" })

export const DigestRecipient = Type.Object({
  email: Type.String(),
  state: OneOf(['active', 'unsubscribed'], {
    description: 'Only the recipients themselves can subscribe again, by the link in the mail',
  }),
  lastSentAt: nullableTime,
  lastError: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the last mail did not arrive; null once one did',
  }),
})
export type DigestRecipient = Static<typeof DigestRecipient>

/** A mail of a board or of the overview, every week or month. */
export const Digest = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  type: OneOf(digestTypes),
  targetId: Type.Union([Type.String(), Type.Null()], { description: 'The board; null for the overview' }),
  narrowing: DigestNarrowing,
  frequency: OneOf(digestFrequencies),
  weekday,
  hour,
  recipients: Type.Array(DigestRecipient),
  isPaused: Type.Boolean(),
  nextAt: Type.Union([Time, Type.Null()], { description: 'Null while it is paused' }),
  lastSentAt: nullableTime,
  lastError: Type.Union([Type.String(), Type.Null()], {
    description: 'Why the last one was not sent to all; null once one was',
  }),
  owner: Type.String({ description: 'The member or the key that made it' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Digest = Static<typeof Digest>

const base = { plane: 'control', tag: 'Digests' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const siteId = Type.String({ maxLength: 64 })
const email = Type.String({ minLength: 3, maxLength: emailLengthMax })
const recipients = Type.Array(email, {
  minItems: 1,
  maxItems: digestLimits.recipientsMax,
  description: 'All addresses that are to receive it. Who unsubscribed stays so',
})
const target = {
  type: OneOf(digestTypes),
  targetId: Type.Optional(
    Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
      description: 'A board of the site, also a ready one',
    }),
  ),
}
const changeable = {
  narrowing: DigestNarrowing,
  frequency: OneOf(digestFrequencies),
  weekday,
  hour,
  isPaused: Type.Boolean(),
}

export const listDigests = route({
  ...reads,
  id: 'listDigests',
  method: 'GET',
  path: '/api/v1/digests',
  summary: 'List digests',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, exact),
  success: { status: 200, body: Page(Digest) },
  problems: lookupProblems,
})

export const createDigest = route({
  ...writes,
  id: 'createDigest',
  method: 'POST',
  path: '/api/v1/digests',
  summary: 'Mail a board or the overview every week or month',
  description: 'Weekly on Mondays at 8 unless said. A mail covers the last whole week or month.',
  body: Type.Object(
    {
      siteId,
      ...target,
      recipients,
      ...Type.Partial(Type.Object(changeable)).properties,
    },
    exact,
  ),
  success: { status: 201, body: Digest },
  audit: { action: 'digest.created', details: ['siteId', 'type', 'targetId', 'frequency'] },
  problems: [...lookupProblems, 'conflict'],
})

export const getDigest = route({
  ...reads,
  id: 'getDigest',
  method: 'GET',
  path: '/api/v1/digests/:id',
  summary: 'Get a digest',
  params: byId,
  success: { status: 200, body: Digest },
  problems: lookupProblems,
})

export const updateDigest = route({
  ...writes,
  id: 'updateDigest',
  method: 'PATCH',
  path: '/api/v1/digests/:id',
  summary: 'Change time, filters or recipients of a digest, pause or resume it',
  description: 'A digest that is resumed sends the next one, and none that it missed.',
  params: byId,
  body: Type.Partial(Type.Object({ ...changeable, recipients }), { ...exact, minProperties: 1 }),
  success: { status: 200, body: Digest },
  audit: { action: 'digest.updated', details: ['siteId', 'type', 'targetId', 'frequency', 'isPaused'] },
  problems: [...lookupProblems, 'conflict'],
})

export const deleteDigest = route({
  ...writes,
  id: 'deleteDigest',
  method: 'DELETE',
  path: '/api/v1/digests/:id',
  summary: 'Delete a digest',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'digest.deleted' },
  problems: lookupProblems,
})

export const testDigest = route({
  ...writes,
  id: 'testDigest',
  method: 'POST',
  path: '/api/v1/digests/:id/test',
  summary: 'Send a digest now, to one address',
  description:
    'To the address of the caller unless said; any other has to be an active recipient. ' +
    `It does not change when the digest is sent. An address gets ${digestLimits.testsPerHour} tests an hour at most.`,
  params: byId,
  body: Type.Object({ email: Type.Optional(email) }, exact),
  success: {
    status: 200,
    body: Type.Object({
      email: Type.String(),
      isDelivered: Type.Boolean({ description: 'Whether the mail server took it' }),
      error: nullableText,
    }),
  },
  audit: { action: 'digest.tested', details: ['isDelivered'] },
  problems: [...lookupProblems, 'conflict'],
})

const open = { ...base, access: 'open', rate: 'open' } as const
const byToken = Type.Object({
  token: Type.String({ maxLength: 200, description: 'From the link in the mail' }),
})

/** What the page says to who opens the link in a mail. */
export const Subscription = Type.Object({
  siteName: Type.String(),
  frequency: OneOf(digestFrequencies),
  state: DigestRecipient.properties.state,
})
export type Subscription = Static<typeof Subscription>

export const getSubscription = route({
  ...open,
  id: 'getSubscription',
  method: 'GET',
  path: '/api/unsubscribe/:token',
  summary: 'What a link to unsubscribe is about; nothing is changed',
  description: 'The same as a page is at `/unsubscribe/:token`.',
  params: byToken,
  success: { status: 200, body: Subscription },
  problems: ['not-found'],
})

export const unsubscribe = route({
  ...open,
  id: 'unsubscribe',
  method: 'POST',
  path: '/api/unsubscribe/:token',
  summary: 'Unsubscribe the address that the mail was sent to',
  description:
    'The headers of the mail name `/unsubscribe/:token`, which does the same for any body (RFC 8058) and answers a page.',
  params: byToken,
  success: { status: 200, body: Subscription },
  problems: ['not-found'],
})

export const digestRoutes = [
  listDigests,
  createDigest,
  getDigest,
  updateDigest,
  deleteDigest,
  testDigest,
  getSubscription,
  unsubscribe,
] as const
