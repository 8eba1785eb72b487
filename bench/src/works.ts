import type { Bench } from './bench.ts'
import { ingestKinds } from './ingest-shapes.ts'
import { measureAttribution } from './measure-attribution.ts'
import { measureForgets } from './measure-forgets.ts'
import { importMeasurement, workspaceImportMeasurement } from './measure-import.ts'
import { ingestMeasurement, segmentsFolder } from './measure-ingest.ts'
import { judgeMeasurement } from './measure-judge.ts'
import { measurePrivacy, timelineMeasurement } from './measure-privacy.ts'
import { readsMeasurement } from './measure-reads.ts'
import { sizesMeasurement } from './measure-sizes.ts'
import { afterKillMeasurement, startMeasurement, startWithDataMeasurement } from './measure-start.ts'
import { writerMeasurement } from './measure-writer.ts'
import type { Measurement } from './measurement.ts'
import type { Options } from './options.ts'
import { questionReads } from './question-list.ts'
import { allReads, largeReads, overviewRead, shortReads } from './read-list.ts'
import type { Figure } from './report.ts'
import type { Side } from './side.ts'

const largeDays = 90
const smallEvents = 2_000
/** Of docs/attribution.md. */
const attributionEvents = 5e6

/** What is measured, in order; data that several of them read is filled by the first. */
export function measurementsOf(bench: Bench, options: Options): readonly Measurement[] {
  const { works, events, days, isShort } = options
  const starts = isShort ? 2 : 3
  const found: Measurement[] = []
  const add = (isWanted: boolean, make: () => Measurement) => isWanted && found.push(make())
  add(works.has('judge'), () => judgeMeasurement(bench.options.nowMs))
  add(works.has('sizes'), () => sizesMeasurement(bench))
  add(works.has('start'), () => startMeasurement(bench, starts))
  const hasWriter = works.has('writer')
  // The loader's segments are those of the batches.
  const kinds = ingestKinds.filter((kind) => works.has(kind) || (kind === 'batch' && hasWriter))
  add(kinds.length > 0, () => ingestMeasurement(bench, { kinds, keepsSegments: hasWriter }))
  add(hasWriter, () => writerMeasurement(bench, (side) => segmentsFolder(bench, side)))
  add(works.has('import'), () => importMeasurement(bench))
  add(works.has('import') && !isShort, () => workspaceImportMeasurement(bench))
  const small = { events: smallEvents, days, reads: [overviewRead] }
  add(works.has('small'), () => readsMeasurement(bench, small))
  const reads = isShort ? shortReads : allReads
  add(works.has('reads'), () => readsMeasurement(bench, { events, days, reads }))
  const questions = { events, days, reads: questionReads }
  add(works.has('questions'), () => readsMeasurement(bench, questions))
  const hasData = works.has('start') && (works.has('reads') || !isShort)
  add(hasData, () => startWithDataMeasurement(bench, events, days, starts))
  add(works.has('start') && !isShort, () => afterKillMeasurement(bench, 1))
  const large = { events: options.largeEvents, days: largeDays, reads: largeReads }
  add(works.has('large'), () => readsMeasurement(bench, large))
  add(works.has('timeline'), () => timelineMeasurement(bench))
  add(works.has('privacy'), () => once((side) => measurePrivacy(bench, side)))
  add(works.has('forgets'), () => once((side) => measureForgets(bench, side, options.forgets)))
  add(works.has('attribution'), () => once((side) => measureAttribution(bench, side, attributionEvents)))
  return found
}

/** What takes too long, or changes too much, to be done in rounds. */
function once(run: (side: Side) => Promise<readonly Figure[]>): Measurement {
  return {
    rounds: 1,
    async open(side) {
      let figures: readonly Figure[] = []
      return {
        async round() {
          figures = await run(side)
        },
        figures: async () => figures,
        close: async () => {},
      }
    },
  }
}
