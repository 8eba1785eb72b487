import { type Static, Type } from 'typebox'
import { lookupProblems } from '../../problems.ts'
import { route } from '../../route.ts'
import { Time } from '../../shapes.ts'
import { byId, reads, siteId, writes } from './access.ts'

const pattern = Type.Optional(
  Type.String({ minLength: 1, maxLength: 300, description: 'The whole text; * stands for any characters' }),
)

/** Assigns errors to a custom group. The first matching rule of a site wins. */
export const ErrorRule = Type.Object({
  id: Type.String(),
  siteId: Type.String(),
  match: Type.Object({ type: pattern, title: pattern, culprit: pattern }, { additionalProperties: false }),
  errorGroup: Type.String({ minLength: 1, maxLength: 200 }),
  position: Type.Integer({ minimum: 0 }),
  createdAt: Time,
})
export type ErrorRule = Static<typeof ErrorRule>

const GroupName = Type.Object({ id: Type.String(), errorGroup: Type.String() })

/** The groups before and after a rule is added, changed or deleted. */
export const ErrorRulePreview = Type.Object({
  matched: Type.Integer({ description: 'Kinds of errors that the rule would take' }),
  groups: Type.Array(
    Type.Object({
      ...GroupName.properties,
      isNew: Type.Boolean(),
      from: Type.Array(GroupName, { description: 'Where its errors are now; of several, they are merged' }),
    }),
    { description: 'Groups that would hold other errors than now; at most 50' },
  ),
  gone: Type.Array(GroupName, { description: 'Groups that would be no more; at most 50' }),
})
export type ErrorRulePreview = Static<typeof ErrorRulePreview>

export const listErrorRules = route({
  ...reads,
  id: 'listErrorRules',
  method: 'GET',
  path: '/api/v1/error-rules',
  summary: 'Rules by which a site groups its errors, in their order',
  query: Type.Object({ siteId }, { additionalProperties: false }),
  success: { status: 200, body: Type.Object({ data: Type.Array(ErrorRule) }) },
  problems: lookupProblems,
})

const ruleFields = {
  match: Type.Object(ErrorRule.properties.match.properties, {
    additionalProperties: false,
    minProperties: 1,
  }),
  errorGroup: ErrorRule.properties.errorGroup,
  position: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
}

export const createErrorRule = route({
  ...writes,
  id: 'createErrorRule',
  method: 'POST',
  path: '/api/v1/error-rules',
  summary: 'Group errors by a rule of your own',
  description: 'It holds for errors that are stored already, too. Without a position it comes last.',
  body: Type.Object({ siteId, ...ruleFields }, { additionalProperties: false }),
  success: { status: 201, body: ErrorRule },
  audit: { action: 'error_rule.created', details: ['siteId', 'errorGroup', 'match'] },
  invalidates: 'reports',
  problems: [...lookupProblems, 'conflict'],
})

export const updateErrorRule = route({
  ...writes,
  id: 'updateErrorRule',
  method: 'PATCH',
  path: '/api/v1/error-rules/:id',
  summary: 'Change what a rule matches, the group it makes, or its place among the others',
  description: 'What is matched is replaced as a whole.',
  params: byId,
  body: Type.Partial(Type.Object(ruleFields), { additionalProperties: false, minProperties: 1 }),
  success: { status: 200, body: ErrorRule },
  audit: { action: 'error_rule.updated', details: ['errorGroup', 'match', 'position'] },
  invalidates: 'reports',
  problems: lookupProblems,
})

export const previewErrorRule = route({
  ...reads,
  id: 'previewErrorRule',
  fresh: 'camel',
  method: 'POST',
  path: '/api/v1/error-rules/preview',
  summary: 'What a rule would make of the groups there are; nothing is changed',
  description:
    'Without ruleId the rule is added. With it that one is replaced, or taken away where rule is null.',
  body: Type.Object(
    {
      siteId,
      ruleId: Type.Optional(Type.String({ maxLength: 100 })),
      rule: Type.Union([Type.Object(ruleFields, { additionalProperties: false }), Type.Null()]),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: ErrorRulePreview },
  problems: lookupProblems,
})

export const deleteErrorRule = route({
  ...writes,
  id: 'deleteErrorRule',
  method: 'DELETE',
  path: '/api/v1/error-rules/:id',
  summary: 'Take a rule away; its errors are grouped as they were without it',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'error_rule.deleted' },
  invalidates: 'reports',
  problems: lookupProblems,
})
