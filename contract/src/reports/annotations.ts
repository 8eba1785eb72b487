import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { periodQuery } from '../reads.ts'
import { route } from '../route.ts'
import { OneOf, Page, paging, Time } from '../shapes.ts'

export const annotationLimits = {
  /** A line below a chart, not a page. Counted as JSON Schema does, by code points. */
  textCharactersMax: 500,
  linkCharactersMax: 2_000,
  /** Of a workspace: several deploys a day for years. */
  annotationsMax: 10_000,
  /** Of a site in one period: those with the most events. A chart shows no more. */
  releasesMax: 100,
  /** A release that was not seen for so long before the period counts as new: what a read looks through is bounded. */
  releaseLookbackDays: 400,
} as const

const annotationKinds = ['manual', 'release'] as const
const annotationOrders = ['oldest', 'newest'] as const
export type AnnotationOrder = (typeof annotationOrders)[number]

/** A moment to mark on charts: written by a member or a script, or the first event of a release. */
export const Annotation = Type.Object({
  id: Type.String({ description: 'Of a release: stable, and derived from site and release' }),
  kind: OneOf(annotationKinds, { description: 'A release appears automatically and cannot be changed' }),
  siteId: Type.Union([Type.String(), Type.Null()], { description: 'Null: for every site of the workspace' }),
  at: Time,
  text: Type.String({
    description: 'Of a release: its name. Empty after a person whom it named was forgotten',
  }),
  link: Type.Union([Type.String(), Type.Null()]),
  author: Type.Union([Type.String(), Type.Null()], {
    description: 'The member or the key that wrote it; null for a release',
  }),
  createdAt: Time,
  updatedAt: Time,
})
export type Annotation = Static<typeof Annotation>

const base = { plane: 'control', tag: 'Annotations' } as const
const reads = { ...base, access: 'read', scope: 'analytics:read', rate: 'apiRead' } as const
const writes = { ...base, access: 'write', scope: 'analytics:write', rate: 'apiWrite' } as const
const byId = Type.Object({ id: Type.String({ maxLength: 64 }) })
const siteId = Type.String({ maxLength: 64 })
const at = Type.String({ maxLength: 40, description: 'RFC 3339, from 2000 to 2100' })
const text = Type.String({
  minLength: 1,
  maxLength: annotationLimits.textCharactersMax,
  description: 'More than spaces',
})
const link = Type.Union(
  [Type.String({ minLength: 1, maxLength: annotationLimits.linkCharactersMax }), Type.Null()],
  { description: 'An http or https address without a login in it' },
)

export const listAnnotations = route({
  ...reads,
  id: 'listAnnotations',
  fresh: 'camel',
  method: 'GET',
  path: '/api/v1/annotations',
  summary: 'List the annotations of a period',
  description:
    'With `siteId`: those of the site, those for the whole workspace, and the releases whose first event is in the ' +
    `period, at most ${annotationLimits.releasesMax}. Without: those of all sites, and no releases; days are then in ` +
    'UTC unless `timezone` says otherwise.',
  query: Type.Object(
    {
      ...paging,
      ...periodQuery,
      siteId: Type.Optional(siteId),
      kind: Type.Optional(OneOf(annotationKinds, { description: 'Only these' })),
      order: Type.Optional(OneOf(annotationOrders, { default: 'oldest', description: 'Which come first' })),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: Page(Annotation) },
  problems: lookupProblems,
})

export const createAnnotation = route({
  ...writes,
  id: 'createAnnotation',
  method: 'POST',
  path: '/api/v1/annotations',
  summary: 'Mark a moment on charts',
  body: Type.Object(
    {
      siteId: Type.Optional(
        Type.Union([siteId, Type.Null()], {
          description: 'Null or omitted: for every site of the workspace',
        }),
      ),
      at: Type.Optional({ ...at, description: 'RFC 3339, from 2000 to 2100; default is now' }),
      text,
      link: Type.Optional(link),
    },
    { additionalProperties: false },
  ),
  success: { status: 201, body: Annotation },
  audit: { action: 'annotation.created', details: ['siteId', 'at'] },
  problems: [...lookupProblems, 'conflict'],
})

export const updateAnnotation = route({
  ...writes,
  id: 'updateAnnotation',
  method: 'PATCH',
  path: '/api/v1/annotations/:id',
  summary: 'Change the time, text or link of an annotation',
  params: byId,
  body: Type.Partial(Type.Object({ at, text, link }), { additionalProperties: false, minProperties: 1 }),
  success: { status: 200, body: Annotation },
  audit: { action: 'annotation.updated', details: ['siteId', 'at'] },
  problems: lookupProblems,
})

export const deleteAnnotation = route({
  ...writes,
  id: 'deleteAnnotation',
  method: 'DELETE',
  path: '/api/v1/annotations/:id',
  summary: 'Delete an annotation for good',
  params: byId,
  success: { status: 204, body: null },
  audit: { action: 'annotation.deleted' },
  problems: lookupProblems,
})

export const annotationRoutes = [
  listAnnotations,
  createAnnotation,
  updateAnnotation,
  deleteAnnotation,
] as const
