import {
  type Annotation,
  annotationLimits,
  type createAnnotation,
  type Input,
  invalidParameter,
  Problem,
  type updateAnnotation,
} from '@assay/contract'
import { isId, type NewId } from '../platform/clock.ts'
import type { Control } from '../store/control.ts'
import {
  type AnnotationPlace,
  type AnnotationRow,
  type AnnotationScope,
  deleteAnnotationRow,
  insertAnnotation,
  selectAnnotations,
  updateAnnotationRow,
} from './store.ts'

const { annotationsMax, linkCharactersMax } = annotationLimits
/** Charts show neither what is older nor what is later. */
const atMsMin = Date.UTC(2000, 0, 1)
const atMsMax = Date.UTC(2100, 0, 1)

type NewAnnotation = Omit<Input<typeof createAnnotation>['body'], 'siteId'> & {
  siteId: string | null
  author: string
}

export async function addAnnotation(
  { control, newId }: { control: Control; newId: NewId },
  workspaceId: string,
  wanted: NewAnnotation,
  nowMs: number,
): Promise<Annotation> {
  const now = new Date(nowMs)
  const row: AnnotationRow = {
    workspace_id: workspaceId,
    id: newId('ann'),
    site_id: wanted.siteId,
    at: wanted.at === undefined ? now : readAt(wanted.at),
    text: readText(wanted.text),
    link: readLink(wanted.link ?? null),
    author: wanted.author,
    created_at: now,
    updated_at: now,
  }
  const isMade = await control.transaction((sql) => insertAnnotation(sql, row, annotationsMax))
  if (isMade) return toAnnotation(row)
  throw new Problem('conflict', {
    detail: `A workspace has ${annotationsMax} annotations at most. Delete some that are old.`,
  })
}

export async function changeAnnotation(
  control: Control,
  workspaceId: string,
  id: string,
  { at, text, link }: Input<typeof updateAnnotation>['body'],
  nowMs: number,
): Promise<Annotation> {
  const change = {
    at: at === undefined ? null : readAt(at),
    text: text === undefined ? null : readText(text),
    link: readLink(link ?? null),
    hasLink: link !== undefined,
    now: new Date(nowMs),
  }
  const row = isId('ann', id) ? await updateAnnotationRow(control, { workspaceId, id }, change) : null
  if (row === null) throw noAnnotation()
  return toAnnotation(row)
}

export async function removeAnnotation(control: Control, workspaceId: string, id: string): Promise<void> {
  if (!isId('ann', id) || !(await deleteAnnotationRow(control, workspaceId, id))) throw noAnnotation()
}

export async function readAnnotations(
  control: Control,
  scope: AnnotationScope,
  place: AnnotationPlace,
  rows: number,
): Promise<Annotation[]> {
  return (await selectAnnotations(control, scope, place, rows)).map(toAnnotation)
}

function noAnnotation(): Problem {
  return new Problem('not-found', { detail: 'There is no such annotation.' })
}

function readText(text: string): string {
  if (text.trim() === '') throw invalidParameter('text', 'must hold more than spaces')
  return text.trim()
}

/** With a zone, as RFC 3339 has it; what Date reads besides is refused. */
const timeShape = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/

function readAt(text: string): Date {
  const ms = timeShape.test(text) ? Date.parse(text) : Number.NaN
  if (ms >= atMsMin && ms < atMsMax) return new Date(ms)
  throw invalidParameter('at', 'must be an RFC 3339 time with a zone, from 2000 to 2100')
}

/** Anything else, such as javascript:, would run where it is followed. */
export function readLink(text: string | null): string | null {
  if (text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isSound = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isSound && url.href.length <= linkCharactersMax) return url.href
  throw invalidParameter(
    'link',
    `must be an http or https address of up to ${linkCharactersMax} characters, without a login in it`,
  )
}

function toAnnotation(row: AnnotationRow): Annotation {
  return {
    id: row.id,
    kind: 'manual',
    siteId: row.site_id,
    at: row.at.toISOString(),
    text: row.text,
    link: row.link,
    author: row.author,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
