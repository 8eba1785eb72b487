import {
  type Answer,
  digestLimits,
  type FlowGraph,
  type FunnelResult,
  type Journeys,
  type listErrors,
  type Made,
  type Overview,
  type ReportKind,
  type ReportView,
  type Retention,
} from '@assay/contract'
import { numberText, percentText } from '../../shares/page/shown-values.ts'
import type { Part } from '../sending/contents.ts'
import { type Block, label, numberColumn, rowsOrNothing, type Section, textColumn, words } from './blocks.ts'
import { overviewBlocks } from './overview-blocks.ts'
import { queryBlocks } from './query-blocks.ts'

type Results = {
  query: Answer
  overview: Overview
  funnel: FunnelResult
  retention: Retention
  flow: FlowGraph
  journeys: Journeys
  errors: Made<typeof listErrors>
}

/** Rows of a list; a mail is looked through and not searched. */
const rowsMax = 10

/** How an answer of each kind is shown. */
const blocksOf: { [Kind in ReportKind]: (result: Results[Kind], view: ReportView | null) => Block[] } = {
  query: (answer, view) => queryBlocks(answer, view, rowsMax),
  overview: (overview) => overviewBlocks(overview, rowsMax),
  funnel: ({ steps, conversionRate }) => [
    rowsOrNothing({
      type: 'rows',
      columns: [textColumn('Step'), numberColumn('Came'), numberColumn('Share')],
      rows: steps.map((step, index) => [
        `${index + 1}. ${label(step.label)}`,
        numberText(step.entered),
        percentText(step.conversionRate),
      ]),
      shares: steps.map((step) => step.conversionRate),
    }),
    words(`${percentText(conversionRate)} went the whole way.`),
  ],
  retention: ({ overall, interval }) => {
    // All of them came in the interval itself.
    const shown = overall.filter(({ after }) => after > 0).slice(0, rowsMax)
    return [
      rowsOrNothing({
        type: 'rows',
        columns: [textColumn('Came back after'), numberColumn('People'), numberColumn('Share')],
        rows: shown.map(({ after, people, share }) => [
          `${after} ${interval}${after === 1 ? '' : 's'}`,
          numberText(people),
          percentText(share),
        ]),
        shares: shown.map(({ share }) => share),
      }),
    ]
  },
  flow: ({ edges }) => {
    const shown = edges.toSorted((one, other) => other.sessions - one.sessions).slice(0, rowsMax)
    return [
      rowsOrNothing({
        type: 'rows',
        columns: [textColumn('From – to'), numberColumn('Sessions'), numberColumn('Share')],
        rows: shown.map(({ from, to, sessions, share }) => [
          `${nodeText(from)} → ${nodeText(to)}`,
          numberText(sessions),
          percentText(share),
        ]),
      }),
    ]
  },
  journeys: ({ journeys }) => [
    rowsOrNothing({
      type: 'rows',
      columns: [textColumn('Path'), numberColumn('Sessions'), numberColumn('Share')],
      rows: journeys
        .slice(0, rowsMax)
        .map(({ steps, sessions, share }) => [
          steps.map((step) => label(step.label, journeyStepCharactersMax)).join(' → '),
          numberText(sessions),
          percentText(share),
        ]),
    }),
  ],
  // Their texts may be about one person, unless several met them.
  errors: ({ data }) => {
    const shown = data.filter(({ users }) => users >= digestLimits.visitorsMin).slice(0, rowsMax)
    return [
      rowsOrNothing({
        type: 'rows',
        columns: [textColumn('Error'), numberColumn('Times'), numberColumn('Sessions')],
        rows: shown.map(({ errorGroup, occurrences, sessions }) => [
          label(errorGroup),
          numberText(occurrences),
          numberText(sessions),
        ]),
      }),
    ]
  },
}

const journeyStepCharactersMax = 40

/** The title stays where there is nothing to show, so that no one looks for what is missing. */
export function sectionOf(part: Part): Section {
  const title = part.title === '' ? '' : label(part.title)
  if ('text' in part) return { title, blocks: [words(part.text)] }
  const { kind, result, view } = part
  // boundary: the route of this kind made it.
  const show = blocksOf[kind] as (result: object, view: ReportView | null) => Block[]
  return { title, blocks: show(result, view) }
}

/** `page:/cart` is `/cart`. */
const nodeText = (id: string): string =>
  label(id.replace(/^(?:page|form|action|event):/, ''), journeyStepCharactersMax)
