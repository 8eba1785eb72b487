import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seededRandom } from '../../server/src/demo/traffic/random.ts'
import { readGauge } from './api.ts'
import { askInstrumented, instrumentedProgram } from './instrumented-product.ts'
import { makeKillCalls } from './kill-events.ts'
import { type Findings, isSound, KillLedger, type StoredEvent } from './kill-ledger.ts'
import { KillLoad } from './kill-load.ts'
import { killProgram, waitFor } from './process.ts'
import { type Product, productEntry, spawnProduct, startProduct, unlimited } from './product.ts'
import { median } from './statistics.ts'

type CampaignOptions = {
  readonly dataDir: string
  readonly times: number
  readonly minutes: number
  readonly seed: number
  readonly eventsPerSecond: number
  /** After so many kills the stores are compared with what was acknowledged; at the end in any case. */
  readonly checkEvery: number
  readonly print: (line: string) => void
  readonly now: () => number
}

type CampaignResult = {
  readonly kills: number
  readonly killsDuringStart: number
  readonly sent: number
  readonly acknowledged: number
  readonly stored: number
  readonly findings: Findings
  readonly startMs: readonly number[]
}

/** Every third kill falls into a start, the others under load, up to this long after the product is ready. */
const startShare = 1 / 3
const loadMsMax = 2_000
/** Acknowledged before a kill under load, however slow the machine is. */
const acknowledgedMin = 30
const progressEvery = 10
/** A log that does not load within this is a failure. */
const loadTimeoutMs = 300_000

/** Loads come often, so that kills fall into them. */
const env = { ...unlimited, ASSAY_SEGMENT_AGE_MS_MAX: '200' }

/** Starts, loads and kills the product again and again on one data directory; ends at the first finding. */
export async function runKillCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { times, minutes, seed, print, now, dataDir } = options
  const random = seededRandom(seed)
  const ledger = new KillLedger()
  const makeCall = makeKillCalls(random, `${seed}-${now().toString(36)}`, now)
  const load = new KillLoad({ ledger, makeCall, eventsPerSecond: options.eventsPerSecond })
  const deadline = performance.now() + minutes * 60_000
  const startMs: number[] = []
  let kills = 0
  let killsDuringStart = 0
  let checked = { stored: 0, findings: ledger.compare([]) }

  while (kills < times && performance.now() < deadline) {
    // The first start makes the keys that the load needs.
    const isAtStart = random() < startShare || kills === 1
    if (startMs.length > 0 && isAtStart) {
      await killDuringStart(dataDir, random() * median(startMs))
      killsDuringStart += 1
    } else startMs.push(await killUnderLoad(dataDir, load, ledger, random() * loadMsMax))
    kills += 1
    const isLast = kills === times || performance.now() >= deadline
    if (isLast || kills % options.checkEvery === 0) {
      checked = await checkStores(dataDir, ledger)
      if (!isSound(checked.findings)) break
    }
    if (kills % progressEvery === 0) {
      const start = `median start ${(median(startMs) / 1000).toFixed(1)} s`
      print(
        `${kills} kills, ${ledger.acknowledgedCount} acknowledged, ${checked.stored} found stored, ${start}`,
      )
    }
  }
  const { sentCount: sent, acknowledgedCount: acknowledged } = ledger
  return { kills, killsDuringStart, sent, acknowledged, startMs, ...checked }
}

async function killDuringStart(dataDir: string, afterMs: number): Promise<void> {
  const { program } = await spawnProduct({ dataDir, env, program: productEntry })
  await wait(afterMs)
  if (program.child.exitCode !== null) throw new Error(`the product ended:\n${program.lines.join('\n')}`)
  await killProgram(program)
}

/** Answers how long the start took. */
async function killUnderLoad(
  dataDir: string,
  load: KillLoad,
  ledger: KillLedger,
  afterMs: number,
): Promise<number> {
  const product = await startProduct({ dataDir, env })
  const enough = ledger.acknowledgedCount + acknowledgedMin
  const gone = new AbortController()
  const isUnderLoad = async () => (ledger.acknowledgedCount >= enough || gone.signal.aborted ? true : null)
  const sending = load.run(product, gone.signal)
  await Promise.race([waitFor('acknowledged events', loadTimeoutMs, isUnderLoad), sending])
  await Promise.race([wait(afterMs), sending])
  await killProgram(product)
  gone.abort()
  await sending
  return product.readyAfterMs
}

/** What the stores hold once the log is loaded, asked of the product's own engine. */
async function checkStores(
  dataDir: string,
  ledger: KillLedger,
): Promise<{ stored: number; findings: Findings }> {
  const product = await startProduct({ dataDir, env, program: instrumentedProgram })
  const isLoaded = async () => ((await readGauge(product, 'assay_log_pending_events')) === 0 ? true : null)
  await waitFor('the load of the log', loadTimeoutMs, isLoaded)
  const rows = await readStored(product, join(dataDir, '..', 'stored.ndjson'))
  await killProgram(product)
  return { stored: rows.length, findings: ledger.compare(rows) }
}

async function readStored(product: Product, file: string): Promise<StoredEvent[]> {
  await askInstrumented(product, { kind: 'stored', file })
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line): StoredEvent => JSON.parse(line))
}
