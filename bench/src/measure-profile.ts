import type { Bench } from './bench.ts'
import { type IngestKind, ingestKinds } from './ingest-shapes.ts'
import { prepareLoad } from './measure-ingest.ts'
import { type Product, type ProductOptions, startProduct, stopProduct } from './product.ts'
import { formatSelfTimes, profileDuring, selfTimes, selfTimesByPlace } from './profile.ts'
import { allReads } from './read-list.ts'
import { productEntryIn, type Side } from './side.ts'

type Profiles = Record<string, readonly string[]>

const linesMost = 15
const readEvents = 2e5
const readDays = 30
/** Some seconds of each read: enough samples, however fast it becomes. */
const readTurns = 10

/** The product's main thread under each kind of load and of read, and nothing but that. */
export async function profileAll(bench: Bench, sides: readonly Side[]): Promise<Profiles> {
  const profiles: Profiles = {}
  for (const side of sides) {
    const suffix = sides.length === 1 ? '' : `, ${side.name}`
    for (const kind of ingestKinds) Object.assign(profiles, await profileIngest(bench, side, kind, suffix))
    Object.assign(profiles, await profileReads(bench, side, suffix))
  }
  return profiles
}

async function profileIngest(bench: Bench, side: Side, kind: IngestKind, suffix: string): Promise<Profiles> {
  const { roundMs, nowMs } = bench.options
  return withInspector(await bench.product(side, `profiled-${kind}`), async (product, url) => {
    const load = prepareLoad(product, kind, nowMs)
    await load(roundMs)
    return { [`${kind}${suffix}`]: await profileDuring(url, () => load(roundMs * 2)) }
  })
}

async function profileReads(bench: Bench, side: Side, suffix: string): Promise<Profiles> {
  const filled = await bench.filled(side, { events: readEvents, days: readDays })
  return withInspector({ ...filled, program: productEntryIn(side.root) }, async (product, url) => {
    const found: Record<string, Awaited<ReturnType<typeof profileDuring>>> = {}
    for (const { work, fresh } of allReads) {
      await fresh(product)
      found[`${work}${suffix}`] = await profileDuring(url, async () => {
        for (let turn = 0; turn < readTurns; turn += 1) await fresh(product)
      })
    }
    return found
  })
}

type RawProfiles = Record<string, Awaited<ReturnType<typeof profileDuring>>>

async function withInspector(
  options: ProductOptions,
  act: (product: Product, inspectorUrl: string) => Promise<RawProfiles>,
): Promise<Profiles> {
  const product = await startProduct({ ...options, nodeFlags: ['--inspect=127.0.0.1:0'] })
  try {
    const url = product.lines.find((line) => line.includes('ws://'))?.replace(/^.*(?=ws:)/, '')
    if (url === undefined) throw new Error('the product has no inspector')
    const profiles: Profiles = {}
    for (const [name, profile] of Object.entries(await act(product, url))) {
      profiles[`${name}, main thread, self time`] = formatSelfTimes(selfTimes(profile, linesMost))
      profiles[`${name}, main thread, by place`] = formatSelfTimes(selfTimesByPlace(profile, linesMost))
    }
    return profiles
  } finally {
    await stopProduct(product)
  }
}
