import { backfillStatuses, Dictionary, identifierCharactersMax } from '@assay/contract'
import { Type } from 'typebox'
import { shaped } from '../import/json-check.ts'
import {
  eventTime,
  flag,
  id,
  matching,
  nullable,
  oneOf,
  orEmpty,
  plain,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { count, Finite, int4, openMax, site } from './column-checks.ts'
import type { TableShape } from './table-shape.ts'

/** Names of generations have the workspace in them that took them over, each time they moved. */
const generation = matching(/^gen_[0-9a-z]{26}(?:_ws_[0-9a-z]{26}){0,20}$/, 'an id such as gen_…')
const PropertyMap = Dictionary(Type.String({ maxLength: 200 }), {
  maxProperties: 255,
})

/** Back-fills, and the overlays that they made. */
export const backfillShapes: Readonly<Record<string, TableShape>> = {
  mapping_backfills: {
    names: { as: 'backfills', columns: ['id'] },
    open: { values: ['queued', 'running', 'withdrawing', 'dry_run'], rowsMax: openMax },
    columns: {
      id: id('bfl'),
      workspace_id: workspace,
      site_id: site,
      mapping_id: plain(100, 1),
      source: text(200, 1),
      target: text(200, 1),
      property_map: shaped(PropertyMap),
      from_at: eventTime,
      to_at: eventTime,
      status: oneOf([...backfillStatuses, 'dry_run']),
      sent_names: shaped(Type.Array(Type.String({ maxLength: 32_768 }), { maxItems: 10_000 }), {
        isAnyCharacter: true,
      }),
      matched: count,
      judged: count,
      events: count,
      renamed: count,
      refused: count,
      codes: shaped(Dictionary(Finite)),
      cursor_ms: whole(0, 1e14),
      cursor_id: text(identifierCharactersMax),
      tries: int4,
      created_at: time,
      finished_at: nullable(time),
    },
  },
  site_overlays: {
    names: { as: 'generations', columns: ['generation', 'previous', 'next'] },
    columns: {
      site_id: site,
      workspace_id: workspace,
      generation: orEmpty(generation),
      previous: orEmpty(generation),
      next: orEmpty(generation),
      from_at: nullable(eventTime),
      to_at: nullable(eventTime),
      has_orders: flag,
      settled_at: nullable(time),
    },
  },
}
