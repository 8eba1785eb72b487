import {
  type Annotation,
  type AnnotationOrder,
  createAnnotation,
  deleteAnnotation,
  invalidParameter,
  listAnnotations,
  updateAnnotation,
} from '@assay/contract'
import { largeEventsMin, readLarge } from '../analytics/cache/large-reads.ts'
import type { ReportCache } from '../analytics/cache/report-cache.ts'
import { readPeriod } from '../analytics/period.ts'
import { openReading, type ReadingDeps } from '../analytics/report-query.ts'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import { addAnnotation, changeAnnotation, readAnnotations, removeAnnotation } from './annotations.ts'
import { findReleases } from './releases.ts'

type Needs = ReadingDeps & { kept: ReportCache }

export function annotationRoutes(plane: Plane, deps: Needs): void {
  const { control, newId, now, requireSite } = deps
  serveList(plane, deps)

  serve(plane, createAnnotation, async ({ body, caller }) => {
    const siteId = body.siteId ?? null
    if (siteId !== null) await requireSite(caller.workspaceId, siteId)
    const author = actorIdOf(caller)
    return addAnnotation({ control, newId }, caller.workspaceId, { ...body, siteId, author }, now())
  })

  serve(plane, updateAnnotation, ({ params, body, caller }) =>
    changeAnnotation(control, caller.workspaceId, params.id, body, now()),
  )

  serve(plane, deleteAnnotation, async ({ params, caller }) => {
    await removeAnnotation(control, caller.workspaceId, params.id)
    return undefined
  })
}

function serveList(plane: Plane, deps: Needs): void {
  serve(plane, listAnnotations, async ({ query, caller: { workspaceId }, read, request, reply }) => {
    const { siteId, kind, order = 'oldest', limit = pageDefault, cursor, ...asked } = query
    const place = { order, after: readCursor(cursor) }
    const ofSite = siteId === undefined ? null : { ...asked, siteId }
    const reading = ofSite === null ? null : await openReading(deps, workspaceId, ofSite)
    const { fromMs, toMs } = reading?.period ?? readPeriod(asked, 'UTC', deps.now())

    const scope = { workspaceId, siteId: siteId ?? null, from: new Date(fromMs), to: new Date(toMs) }
    const written = kind === 'release' ? [] : await readAnnotations(deps.control, scope, place, limit + 1)
    const makeReleases = async (question: NonNullable<typeof ofSite>) => {
      const value = await findReleases(deps.events, await openReading(deps, workspaceId, question))
      return { value: value.annotations, isLarge: value.events >= largeEventsMin }
    }
    const releases =
      ofSite === null || reading === null || kind === 'manual'
        ? []
        : await readLarge(deps.kept, { name: 'releases', asked: ofSite, read, request, reply }, reading, () =>
            makeReleases(ofSite),
          )
    const { page, next } = pageOf(merged(written, releases, place), limit, cursorOf)
    return { data: page, nextCursor: next }
  })
}

type Place = { at: Date; id: string }

function merged(
  written: Annotation[],
  releases: readonly Annotation[],
  { order, after }: { order: AnnotationOrder; after: Place | null },
): Annotation[] {
  const sign = order === 'newest' ? -1 : 1
  const later = releases.filter((release) => after === null || sign * inOrder(placeOf(release), after) > 0)
  return [...written, ...later].sort((one, other) => sign * inOrder(placeOf(one), placeOf(other)))
}

const placeOf = ({ at, id }: Annotation): Place => ({ at: new Date(at), id })

function inOrder(one: Place, other: Place): number {
  return one.at.getTime() - other.at.getTime() || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)
}

const cursorOf = ({ at, id }: Annotation) => `${Date.parse(at)}.${id}`
const cursorShape = /^(\d{1,13})\.((?:ann|rel)_[0-9a-z]{26})$/

function readCursor(cursor: string | undefined): Place | null {
  if (cursor === undefined) return null
  const [, ms, id] = cursorShape.exec(cursor) ?? []
  if (ms === undefined || id === undefined) {
    throw invalidParameter('cursor', 'must be nextCursor of the page before')
  }
  return { at: new Date(Number(ms)), id }
}
