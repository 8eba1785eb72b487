import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { basename, join } from 'node:path'
import { type Program, startProgram, stopProgram, waitFor } from './process.ts'
import { instrumentedProgramIn, productEntryIn } from './side.ts'

/** What the first start writes for its owner. */
type FirstRun = {
  readonly workspaceId: string
  readonly siteId: string
  readonly siteToken: string
  readonly liveKey: string
  readonly testKey: string
  readonly publicKey: string
  readonly secretKey: string
  readonly ownerEmail: string
}

export type Product = Program & {
  readonly port: number
  readonly url: string
  readonly keys: FirstRun
  readonly processId: number
  readonly readyAfterMs: number
}

export type ProductOptions = {
  readonly dataDir: string
  readonly port?: number
  /** Flags for Node, such as those of its profiler. */
  readonly nodeFlags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Another program than the product's own, that is it all the same. */
  readonly program?: string
  readonly onLine?: (line: string) => void
}

export const productEntry = productEntryIn(join(import.meta.dirname, '..', '..'))

/** Ten times what a first start takes on a slow machine; opening 20 million events takes longer than none. */
const startTimeoutMs = 180_000
/** A shutdown carries the log into the store first. */
const stopTimeoutMs = 60_000

/** The bench measures what is behind the limits, not the limits that protect it. */
export const unlimited = {
  ASSAY_INGEST_EVENTS_PER_SECOND: '1000000000',
  ASSAY_PUBLIC_EVENTS_PER_SECOND_PER_ADDRESS: '1000000000',
  ASSAY_API_READS_PER_MINUTE: '1000000000',
  ASSAY_CONTROL_READS_PER_MINUTE: '1000000000',
  ASSAY_CONTROL_WRITES_PER_MINUTE: '1000000000',
}

/** Starts the product in a separate process, as a user would, and waits until it is ready. */
export async function startProduct(options: ProductOptions): Promise<Product> {
  const startedMs = performance.now()
  const { program, port } = await spawnProduct(options)
  const url = `http://127.0.0.1:${port}`
  await waitFor('the start of the product', startTimeoutMs, async () => {
    if (program.child.exitCode !== null) throw new Error(`the product ended:\n${program.lines.join('\n')}`)
    const isReady = await fetch(`${url}/readyz`).then(
      (answer) => answer.ok,
      () => false,
    )
    return isReady ? true : null
  })
  const readyAfterMs = performance.now() - startedMs
  const keys = readFirstRun(options.dataDir)
  const processId = program.child.pid ?? 0
  return { ...program, port, url, keys, processId, readyAfterMs }
}

/** Without waiting for it. */
export async function spawnProduct(options: ProductOptions): Promise<{ program: Program; port: number }> {
  const port = options.port ?? (await freePort())
  const { program = productEntry } = options
  const isAsked = basename(program) === basename(instrumentedProgramIn(''))
  const allocator = isAsked ? await allocatorOf(program) : {}
  const env = { ...allocator, ASSAY_DATA_DIR: options.dataDir, ASSAY_PORT: port.toString(), ...options.env }
  const args = [...(options.nodeFlags ?? []), program]
  return { program: startProgram(args, env, options.onLine, isAsked), port }
}

/** What the product's own entry gives its allocator; one that is sent messages cannot begin again. */
async function allocatorOf(program: string): Promise<Record<string, string>> {
  const file = join(program, '../../../server/src/platform/node/allocator.ts')
  // boundary: the same file of another commit.
  return existsSync(file) ? ((await import(file)).allocatorSettings as Record<string, string>) : {}
}

export function stopProduct(product: Product): Promise<void> {
  return stopProgram(product, stopTimeoutMs)
}

function readFirstRun(dataDir: string): FirstRun {
  const parsed: unknown = JSON.parse(readFileSync(join(dataDir, 'first-run.json'), 'utf8'))
  // boundary: the file is the product's own.
  return parsed as FirstRun
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
