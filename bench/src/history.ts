/** `npm run history`: imports the exports of other tools, and compares the overview with what is in the files. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { waitUntilStored } from './fill.ts'
import { type HistoryCounts, type HistoryTool, historyTools, writeHistory } from './history-files.ts'
import { type Product, startProduct, stopProduct } from './product.ts'
import { formatNumber } from './report.ts'

const help = `npm run history -- [options]
  --events 1000000  events of each file`

const { values: options } = parseArgs({
  options: { events: { type: 'string', default: '1000000' }, help: { type: 'boolean', default: false } },
})
const command = join(import.meta.dirname, '..', '..', 'cli', 'src', 'main.ts')
const dayMs = 86_400_000
const importMsMax = 3_600_000

/** Runs the command as a user would, and waits until the last event can be read. Answers seconds. */
async function importFile(product: Product, tool: HistoryTool, path: string, home: string): Promise<number> {
  const startedMs = performance.now()
  const args = ['import-events', '--from', tool, path, '--server', product.url, '--site', product.keys.siteId]
  await promisify(execFile)(process.execPath, [command, ...args], {
    cwd: home,
    env: { ...process.env, ASSAY_KEY: product.keys.secretKey, HOME: home },
    timeout: importMsMax,
    maxBuffer: 64 * 1024 * 1024,
  })
  await waitUntilStored(product)
  return (performance.now() - startedMs) / 1000
}

async function readOverview({ url, keys }: Product, nowMs: number): Promise<HistoryCounts> {
  const span = { from: new Date(nowMs - 29 * dayMs).toISOString(), to: new Date(nowMs).toISOString() }
  const query = new URLSearchParams({ siteId: keys.siteId, ...span })
  const answer = await fetch(`${url}/api/analytics/overview?${query}`, {
    headers: { authorization: `Bearer ${keys.liveKey}`, prefer: 'wait=10' },
  })
  if (!answer.ok) throw new Error(`the overview was answered ${answer.status}: ${await answer.text()}`)
  // boundary: the declared answer of the route.
  const { metrics } = (await answer.json()) as { metrics: HistoryCounts }
  const { visitors, sessions, pageviews, events, revenue } = metrics
  return { visitors, sessions, pageviews, events, revenue }
}

async function measure(tool: HistoryTool, events: number, scratch: string): Promise<boolean> {
  const nowMs = Date.now()
  const home = join(scratch, tool)
  const product = await startProduct({ dataDir: home })
  try {
    const path = join(scratch, `${tool}.jsonl`)
    const expected = await writeHistory(path, tool, events, nowMs)
    const megabytes = Math.round(statSync(path).size / 1e6)
    const seconds = await importFile(product, tool, path, scratch)
    const found = await readOverview(product, nowMs)
    const isEqual = JSON.stringify(found) === JSON.stringify(expected)
    const rate = formatNumber(Math.round(events / seconds))
    console.log(
      `${tool}: ${formatNumber(events)} events, ${megabytes} MB, ${Math.round(seconds)} s, ${rate} events/s`,
    )
    console.log(`  in the file:  ${JSON.stringify(expected)}`)
    console.log(`  the overview: ${JSON.stringify(found)}${isEqual ? '' : '  DIFFERENT'}`)
    return isEqual
  } finally {
    await stopProduct(product)
  }
}

async function main(): Promise<void> {
  if (options.help) return console.log(help)
  const events = Number(options.events)
  if (!Number.isSafeInteger(events) || events < 10) throw new Error(`--events must be a number\n${help}`)
  const scratch = mkdtempSync(join(tmpdir(), 'assay-history-'))
  try {
    for (const tool of historyTools) if (!(await measure(tool, events, scratch))) process.exitCode = 1
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

await main()
