import { type Static, Type } from 'typebox'
import { accessProblems } from '../problems.ts'
import { route } from '../route.ts'
import { Dictionary, OneOf, paging, SnakePage, Time } from '../shapes.ts'

/** `system` is the product itself: a scheduled job, or the first start. */
const actorKinds = ['key', 'person', 'system'] as const
/** `unconfirmed`: it was started, and the server does not know whether it took effect. */
const actOutcomes = ['done', 'unconfirmed'] as const

/** One entry of the audit log: who did what to which object, when and from where. */
export const AuditEntry = Type.Object({
  id: Type.String(),
  at: Time,
  actor: Type.Object({
    kind: OneOf(actorKinds),
    id: Type.String(),
    label: Type.String({ description: 'Name of the key or address of the person, as it was then' }),
  }),
  action: Type.String({ description: 'Such as contract.published; the object type comes before the dot' }),
  object: Type.Object({ type: Type.String(), id: Type.String() }),
  details: Dictionary(Type.Unknown(), { description: 'What was asked for, without secrets' }),
  outcome: OneOf(actOutcomes),
  request_id: Type.String(),
  country: Type.String({ description: 'ISO 3166 code, empty when unknown; addresses are not kept' }),
})
export type AuditEntry = Static<typeof AuditEntry>

const filterText = Type.Optional(Type.String({ minLength: 1, maxLength: 200, pattern: '^[^\\u0000]*$' }))

export const listAuditLog = route({
  id: 'listAuditLog',
  method: 'GET',
  path: '/v1/audit-log',
  plane: 'control',
  access: 'read',
  scope: 'audit:read',
  rate: 'controlRead',
  tag: 'Audit log',
  summary: 'Who did what to which object, newest first',
  description: 'Entries are never changed or removed. from is included, to is not.',
  query: Type.Object(
    {
      ...paging,
      cursor: filterText,
      actor: filterText,
      action: filterText,
      object_type: filterText,
      object_id: filterText,
      from: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
      to: Type.Optional(Type.String({ maxLength: 40, description: 'RFC 3339' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(AuditEntry) },
  problems: accessProblems,
})

export const auditLogRoutes = [listAuditLog] as const
