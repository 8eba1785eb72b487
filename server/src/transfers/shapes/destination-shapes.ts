import {
  consentCategories,
  destinationLimits,
  destinationStatuses,
  dispatchKinds,
  noticeTypes,
  printedText,
  sendStatuses,
} from '@assay/contract'
import { Type } from 'typebox'
import { readUrl } from '../../destinations/destinations.ts'
import { refusalOf, shaped } from '../import/json-check.ts'
import {
  both,
  emptied,
  id,
  matching,
  named,
  nullable,
  oneOf,
  orEmpty,
  personId,
  text,
  time,
  whole,
  workspace,
} from '../import/value-checks.ts'
import { site } from './column-checks.ts'
import { type TableShape, textList } from './table-shape.ts'

/** Where events and notices are sent, and what was sent. */
export const destinationShapes: Readonly<Record<string, TableShape>> = {
  destinations: {
    rowsMax: destinationLimits.destinationsMax,
    names: { as: 'destinations', columns: ['id'] },
    columns: {
      id: id('dst'),
      workspace_id: workspace,
      site_id: nullable(site),
      name: text(100, 1),
      url: both(matching(/^https?:\/\/[^\s\0]{1,2000}$/, 'an address'), (value) =>
        refusalOf(() => readUrl(printedText(value))),
      ),
      events: textList(text(200, 1), destinationLimits.namesMax),
      purposes: textList(oneOf(consentCategories), consentCategories.length),
      notices: textList(oneOf(noticeTypes), noticeTypes.length),
      status: oneOf(destinationStatuses),
      secrets: emptied,
      failing_since: nullable(time),
      created_at: time,
    },
  },
  dispatches: {
    columns: {
      id: id('msg'),
      workspace_id: workspace,
      destination_id: named('destinations'),
      subject: text(1_000, 1),
      kind: oneOf(dispatchKinds),
      type: text(512),
      person_id: orEmpty(personId),
      body: shaped(Type.Unknown(), { isAnyCharacter: true }),
      // What is still to be sent is sent by the server that it was noted on.
      status: oneOf(sendStatuses.filter((status) => status !== 'pending')),
      attempts: whole(0, 1_000),
      response_status: nullable(whole(0, 999)),
      error: nullable(text(2_000)),
      created_at: time,
      retry_until: time,
      next_at: nullable(time),
      delivered_at: nullable(time),
      queued_at: time,
    },
  },
}
