import { createHash } from 'node:crypto'
import { type Annotation, annotationLimits } from '@assay/contract'
import type { Reading } from '../analytics/report-query.ts'
import { iso } from '../platform/clock.ts'
import { dayMs } from '../platform/units.ts'
import type { Events } from '../store/events.ts'
import { type ReleaseRow, selectReleases, selectSeen } from './release-store.ts'

const { releasesMax, releaseLookbackDays } = annotationLimits

type FoundReleases = { annotations: Annotation[]; events: number }

/**
 * Releases whose first event is in the period. Costs a pass over one column of the period, and one of the time before
 * only where the period has any release.
 */
export async function findReleases(
  events: Events,
  { site, filter, period }: Reading,
  most: number = releasesMax,
): Promise<FoundReleases> {
  const { fromMs, toMs } = period
  // Old ones are among those with the most events, so more are read than shown.
  const found = await selectReleases(events, filter, { fromMs, toMs }, 2 * most)
  const names = found.map(({ release }) => release)
  const before = { fromMs: Math.max(0, fromMs - releaseLookbackDays * dayMs), toMs: fromMs }
  const seen = new Set(names.length === 0 ? [] : await selectSeen(events, filter, before, names))
  const first = found.filter(({ release }) => !seen.has(release)).slice(0, most)
  return {
    annotations: first.map((row) => toAnnotation(site.id, row)),
    events: found.reduce((sum, row) => sum + Number(row.events), 0),
  }
}

function toAnnotation(siteId: string, { release, first_ms }: ReleaseRow): Annotation {
  const at = iso(first_ms)
  return {
    id: releaseId(siteId, release),
    kind: 'release',
    siteId,
    at,
    text: release,
    link: null,
    author: null,
    createdAt: at,
    updatedAt: at,
  }
}

/** As long as the random part of other ids. */
const idCharacters = 26

function releaseId(siteId: string, release: string): string {
  const hash = createHash('sha256').update(`${siteId} ${release}`).digest('hex')
  return `rel_${hash.slice(0, idCharacters)}`
}
