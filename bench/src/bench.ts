import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dayMs } from '../../server/src/platform/units.ts'
import { bulkFill } from './bulk-fill.ts'
import { type ProductOptions, startProduct, stopProduct, unlimited } from './product.ts'
import { instrumentedProgramIn, productEntryIn, type Side } from './side.ts'

type BenchOptions = {
  readonly scratch: string
  readonly nowMs: number
  /** Rounds of each ingest measurement, and their length. */
  readonly rounds: number
  readonly roundMs: number
  /** Turns of each read. */
  readonly reads: number
  /** Longest time of the part of a fill that goes through the gate. */
  readonly fillMs: number
  /** A directory that an earlier run kept: reads use it as it is. */
  readonly givenData: string | undefined
  readonly print: (line: string) => void
}

type DataSet = { readonly events: number; readonly days: number }

/** What all measurements share: settings, folders, and data that is filled once for each side. */
export class Bench {
  readonly options: BenchOptions
  readonly #filled = new Map<string, Promise<string>>()
  readonly #pages = new Map<string, Promise<string>>()

  constructor(options: BenchOptions) {
    this.options = options
  }

  /** How the product of a side is started; `what` names its data directory. */
  async product(side: Side, what: string): Promise<ProductOptions> {
    const dataDir = this.folder(side.name, what)
    const pages = join(dataDir, 'dashboard')
    // Else every first start would build them, next to what is measured.
    if (!existsSync(pages)) symlinkSync(dirname(await this.pages(side)), pages)
    return { dataDir, env: unlimited, program: productEntryIn(side.root) }
  }

  /** The same, with an ear at its events store. */
  async instrumented(side: Side, what: string): Promise<ProductOptions> {
    return { ...(await this.product(side, what)), program: instrumentedProgramIn(side.root) }
  }

  /** The folder of the side's dashboard, built once. */
  pages(side: Side): Promise<string> {
    const making = this.#pages.get(side.name) ?? makePages(side, this.folder(side.name, 'pages'))
    this.#pages.set(side.name, making)
    return making
  }

  folder(...names: readonly string[]): string {
    const folder = join(this.options.scratch, ...names)
    mkdirSync(folder, { recursive: true })
    return folder
  }

  /** An instrumented product that is not running, with data; the same for everyone who asks for so much. */
  async filled(side: Side, { events, days }: DataSet): Promise<ProductOptions> {
    const what = `filled-${events}-${days}`
    const options = await this.instrumented(side, what)
    const { givenData } = this.options
    if (givenData !== undefined) return { ...options, dataDir: givenData }
    const key = `${side.name} ${what}`
    const filling = this.#filled.get(key) ?? this.#fill(options, { events, days })
    this.#filled.set(key, filling)
    return { ...options, dataDir: await filling }
  }

  async #fill(options: ProductOptions, { events, days }: DataSet): Promise<string> {
    const { nowMs, fillMs, print } = this.options
    const startedMs = performance.now()
    const product = await startProduct(options)
    const filled = await bulkFill(product, {
      seed: 100,
      events,
      fromMs: windowStartMs(nowMs, days),
      toMs: nowMs,
      fillMs,
      print,
    })
    await stopProduct(product)
    print(`${filled} events in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
    return options.dataDir
  }
}

async function makePages({ root }: Side, parent: string): Promise<string> {
  const loaded: unknown = await import(join(root, 'server/src/http/assets/dashboard-assets.ts'))
  // boundary: the same module of another commit.
  const { makeDashboard } = loaded as { makeDashboard: (parent: string) => Promise<string> }
  return makeDashboard(parent)
}

/** Where a window of so many days begins that ends today: the bench's site counts its days in UTC. */
export const windowStartMs = (nowMs: number, days: number): number =>
  Math.floor(nowMs / dayMs) * dayMs - (days - 1) * dayMs
