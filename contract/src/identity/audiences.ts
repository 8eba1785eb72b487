import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { Filters } from '../questions/filters/filters.ts'
import { formatQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Page, paging, Time } from '../shapes.ts'

/** Per site; each audience is counted again on a schedule. */
export const audiencesMax = 100
/** Per audience: a longer rule cannot be read any more. */
export const audienceConditionsMax = 50
/** How far back a rule looks, and the default window: the longest range of any read. */
export const audienceDaysMax = 400

export const audienceOperators = [
  'eq',
  'neq',
  'in',
  'notIn',
  'contains',
  'gt',
  'gte',
  'lt',
  'lte',
  'exists',
  'notExists',
] as const
export type AudienceOperator = (typeof audienceOperators)[number]

const Scalar = Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()])

export const AudienceCondition = Type.Object(
  {
    field: Type.String({
      minLength: 1,
      maxLength: 220,
      description:
        'trait.<key> · consent.<category> · event.<name> (how often) · daysSince.<event name> (since the last one) · ' +
        'daysSinceSeen · daysSinceFirstSeen · events · sessions · pageviews · orders · revenue · country · region · ' +
        'city · device · source · channel · path (on any event)',
    }),
    op: OneOf(audienceOperators),
    value: Type.Optional(Type.Union([Scalar, Type.Array(Scalar, { minItems: 1, maxItems: 200 })])),
    window: Type.Optional(
      Type.String({
        pattern: '^[1-9][0-9]{0,2}d$',
        description: `Days back from now, such as 30d; ${audienceDaysMax}d at most, which is the default`,
      }),
    ),
  },
  { additionalProperties: false },
)
export type AudienceCondition = Static<typeof AudienceCondition>

const groupOf = <Item extends Parameters<typeof Type.Array>[0]>(item: Item) => {
  const items = Type.Array(item, { minItems: 1, maxItems: audienceConditionsMax })
  return Type.Union([
    Type.Object({ all: items }, { additionalProperties: false }),
    Type.Object({ any: items }, { additionalProperties: false }),
  ])
}

const ConditionOrNested = Type.Union([AudienceCondition, groupOf(AudienceCondition)])
/** Groups of groups of groups: deeper rules can be written flatter. */
export const AudienceRules = groupOf(Type.Union([AudienceCondition, groupOf(ConditionOrNested)]))
export type AudienceRules = Static<typeof AudienceRules>

export const audienceStatuses = ['active', 'paused'] as const

const filters = {
  ...Filters,
  description:
    'The filters of every read, besides the rules: the person, or one of their events, has to fit all of them. ' +
    'Anything but other audiences',
}

/** Everyone who was active: for an audience of filters alone. */
export const everyoneRules: AudienceRules = { all: [{ field: 'events', op: 'gte', value: 1 }] }

/** A group of people of a site, described by the rule that selects them. */
export const Audience = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  name: Type.String({ minLength: 1, maxLength: 80 }),
  description: Type.String({ maxLength: 1_000 }),
  rules: Type.Unsafe<AudienceRules>(Type.Object({}, { additionalProperties: true })),
  filters,
  size: Type.Integer({ description: 'People in it at sizeAt' }),
  sizeAt: Time,
  status: OneOf(audienceStatuses, { description: 'A paused one keeps the members that it has' }),
  createdAt: Time,
  updatedAt: Time,
})
export type Audience = Static<typeof Audience>

/** What an audience would contain, without saving it. */
export const AudiencePreview = Type.Object({
  dryRun: Type.Literal(true),
  siteId: Type.String(),
  size: Type.Integer(),
  people: Type.Integer({ description: 'Everyone whom a rule of this site can select' }),
  sample: Type.Array(Type.String(), { description: 'At most 20 people, by id' }),
})
export type AudiencePreview = Static<typeof AudiencePreview>

const memberStates = ['joined', 'left', 'all'] as const
export type MemberState = (typeof memberStates)[number]

export const AudienceMember = Type.Object({
  personId: Type.String(),
  joinedAt: Time,
  leftAt: Type.Union([Time, Type.Null()], { description: 'Null while they are in it' }),
})
export type AudienceMember = Static<typeof AudienceMember>

const base = { plane: 'control', tag: 'Audiences' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 100 }) })
const siteId = Type.String({ maxLength: 64 })
const { name, description, status } = Audience.properties

export const listAudiences = route({
  ...reads,
  id: 'listAudiences',
  fresh: 'camel',
  method: 'GET',
  path: '/api/cli/audiences',
  summary: 'List the audiences of a site, or of all',
  query: Type.Object({ ...paging, siteId: Type.Optional(siteId) }, { additionalProperties: false }),
  success: { status: 200, body: Page(Audience) },
  problems: lookupProblems,
})

export const createAudience = route({
  ...writes,
  id: 'createAudience',
  method: 'POST',
  path: '/api/cli/audiences',
  summary: 'Create an audience, or try its rules out',
  description:
    'By rules, by filters, or by both, which have to hold together. Its members are counted before the answer. With dryRun nothing is saved, and the answer has status 200.',
  body: Type.Object(
    {
      siteId,
      name: Type.Optional(name),
      description: Type.Optional(description),
      rules: Type.Optional(AudienceRules),
      filters: Type.Optional(filters),
      dryRun: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: Audience },
  otherSuccess: { status: 200, body: AudiencePreview },
  audit: { action: 'audience.created', details: ['siteId', 'name'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const getAudience = route({
  ...reads,
  id: 'getAudience',
  fresh: 'camel',
  method: 'GET',
  path: '/api/cli/audiences/:id',
  summary: 'Get one audience',
  params: byId,
  success: { status: 200, body: Audience },
  problems: lookupProblems,
})

export const updateAudience = route({
  ...writes,
  id: 'updateAudience',
  method: 'PATCH',
  path: '/api/cli/audiences/:id',
  summary: 'Change an audience',
  description: 'New rules are counted before the answer: who they leave out has left.',
  params: byId,
  body: Type.Partial(Type.Object({ name, description, status, rules: AudienceRules, filters }), {
    additionalProperties: false,
    minProperties: 1,
  }),
  success: { status: 200, body: Audience },
  audit: { action: 'audience.updated', details: ['siteId', 'name', 'status'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const deleteAudience = route({
  ...writes,
  id: 'deleteAudience',
  method: 'DELETE',
  path: '/api/cli/audiences/:id',
  summary: 'Delete an audience',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'audience.deleted' },
  invalidates: 'reports',
  problems: lookupProblems,
})

export const listAudienceMembers = route({
  ...reads,
  // Members of an audience are people, so it needs the scope for people.
  scope: 'identity:read',
  id: 'listAudienceMembers',
  fresh: 'camel',
  method: 'GET',
  path: '/api/cli/audiences/:id/members',
  summary: 'List who is, or was, in an audience',
  description:
    'In the order of their ids, as of sizeAt, following people who were merged since. As CSV a page has a Link to ' +
    'the next one.',
  params: byId,
  query: Type.Object(
    {
      ...paging,
      ...formatQuery,
      state: Type.Optional(OneOf(memberStates, { default: 'joined' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Page(AudienceMember) },
  csv: true,
  problems: lookupProblems,
})

export const audienceRoutes = [
  listAudiences,
  createAudience,
  getAudience,
  updateAudience,
  deleteAudience,
  listAudienceMembers,
] as const
