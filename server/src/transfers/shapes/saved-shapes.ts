import {
  annotationLimits,
  boardLimits,
  DigestNarrowing,
  digestFrequencies,
  digestLimits,
  digestTypes,
  eventNameCharactersMax,
  Filters,
  goalLimits,
  isEmail,
  Narrowing,
  printedText,
  type ReportKind,
  reportKinds,
  reportLimits,
  reportViews,
  type Tile,
  Tiles,
} from '@assay/contract'
import { Type } from 'typebox'
import { readLink } from '../../annotations/annotations.ts'
import { requireSoundPlaces } from '../../boards/boards.ts'
import { conditionsOf } from '../../goals/goals.ts'
import { requireSoundQuestion, requireSoundView } from '../../reports/questions.ts'
import { requireTimezone, sitesMax } from '../../sites/sites.ts'
import type { TextRow } from '../control-store.ts'
import { refusalOf, shaped } from '../import/json-check.ts'
import {
  both,
  eventTime,
  flag,
  id,
  named,
  nullable,
  oneOf,
  plain,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { site } from './column-checks.ts'
import type { Flaw, TableShape } from './table-shape.ts'

/** The API counts code points, of which one may take two characters here. */
const words = (codePointsMax: number, charactersMin = 0) => text(2 * codePointsMax, charactersMin)

/** What members save to look at again. */
export const savedShapes: Readonly<Record<string, TableShape>> = {
  annotations: {
    rowsMax: annotationLimits.annotationsMax,
    columns: {
      workspace_id: workspace,
      id: id('ann'),
      site_id: nullable(site),
      at: eventTime,
      // Forgetting leaves it empty.
      text: words(annotationLimits.textCharactersMax),
      link: nullable((value) => refusalOf(() => readLink(printedText(value)))),
      author: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  goals: {
    perSiteMax: goalLimits.goalsMax,
    row: goalFlaw,
    columns: {
      workspace_id: workspace,
      id: id('goal'),
      site_id: site,
      name: words(goalLimits.nameCharactersMax, 1),
      event: words(eventNameCharactersMax, 1),
      page: nullable(words(goalLimits.pageCharactersMax, 1)),
      filters: shaped(Filters),
      owner: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  reports: {
    perSiteMax: reportLimits.reportsMax,
    row: questionFlaw,
    columns: {
      workspace_id: workspace,
      id: id('rep'),
      site_id: site,
      kind: oneOf(reportKinds),
      name: words(reportLimits.nameCharactersMax, 1),
      description: words(reportLimits.descriptionCharactersMax),
      question: shaped(Type.Object({})),
      view: nullable(oneOf(reportViews)),
      owner: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  boards: {
    perSiteMax: boardLimits.boardsMax,
    columns: {
      workspace_id: workspace,
      id: id('brd'),
      site_id: site,
      name: words(boardLimits.nameCharactersMax, 1),
      description: words(boardLimits.descriptionCharactersMax),
      narrowing: shaped(Narrowing),
      tiles: shaped<Tile[]>(Tiles, { validate: requireSoundTiles }),
      owner: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  digests: {
    perSiteMax: digestLimits.digestsMax,
    names: { as: 'digests', columns: ['id'] },
    columns: {
      workspace_id: workspace,
      id: id('dig'),
      site_id: site,
      type: oneOf(digestTypes),
      target_id: nullable(plain(100)),
      narrowing: shaped(DigestNarrowing),
      frequency: oneOf(digestFrequencies),
      weekday: whole(1, 7),
      hour: whole(0, 23),
      timezone: both(plain(64, 1), (value) => refusalOf(() => requireTimezone(printedText(value)))),
      next_at: time,
      owner: plain(200),
      created_at: time,
      updated_at: time,
    },
  },
  digest_recipients: {
    rowsMax: sitesMax * digestLimits.digestsMax * digestLimits.knownRecipientsMax,
    columns: {
      workspace_id: workspace,
      id: id('dgr'),
      digest_id: named('digests'),
      email: (value) => (isEmail(printedText(value)) ? null : 'must be an email address'),
      is_active: flag,
      last_sent_at: nullable(time),
      last_error: nullable(plain(500)),
      created_at: time,
    },
  },
}

/** The report of a tile may be gone, and is looked for in this workspace only. */
function requireSoundTiles(tiles: readonly Tile[]): void {
  requireSoundPlaces(tiles)
  for (const tile of tiles) {
    if (tile.type !== 'question') continue
    requireSoundQuestion(tile.kind, tile.question)
    requireSoundView(tile.kind, tile.view)
  }
}

function goalFlaw({ event, page, filters }: TextRow): Flaw | null {
  const goal = () => ({ event: event ?? '', page: page ?? null, filters: JSON.parse(filters ?? '') })
  const reason = refusalOf(() => conditionsOf(goal()))
  return reason === null ? null : { column: 'filters', reason }
}

function questionFlaw({ kind, question, view }: TextRow): Flaw | null {
  const known = reportKinds.find((one): one is ReportKind => one === kind)
  if (known === undefined) return null
  const reason = refusalOf(() => requireSoundQuestion(known, JSON.parse(question ?? '')))
  if (reason !== null) return { column: 'question', reason }
  return known === 'query' || view === null ? null : { column: 'view', reason: 'is for the kind query only' }
}
