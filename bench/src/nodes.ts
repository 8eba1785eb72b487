/** `npm run bench:nodes`: events that one, two and three nodes acknowledge in a second, and one node with files. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { httpRequest, runLoad } from './load.ts'
import { type Product, startProduct, stopProduct, unlimited } from './product.ts'
import { formatNumber } from './report.ts'

const help = `npm run bench:nodes -- --postgres url --clickhouse url --log nats://a,b,c [options]
  Three servers that are empty, or were used by this only.
  --seconds 10      length of each measurement
  --connections 16  for all nodes together`

const { values: options } = parseArgs({
  options: {
    postgres: { type: 'string', default: '' },
    clickhouse: { type: 'string', default: '' },
    log: { type: 'string', default: '' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '16' },
    help: { type: 'boolean', default: false },
  },
})
const nodesMax = 3
const eventsPerRequest = 50
const scratch = mkdtempSync(join(tmpdir(), 'assay-nodes-'))
let requests = 0

function startNode(index: number, env: Record<string, string>): Promise<Product> {
  const dataDir = join(scratch, String(index))
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  // The keys of the installation are in the file of the node that made it.
  if (index > 0) copyFileSync(join(scratch, '0/first-run.json'), join(dataDir, 'first-run.json'))
  const stores = { ASSAY_POSTGRES_URL: options.postgres, ASSAY_CLICKHOUSE_URL: options.clickhouse }
  return startProduct({ dataDir, env: { ...unlimited, ...stores, ...env } })
}

function nextRequest({ keys }: Product): Buffer {
  requests += 1
  const batch = Array.from({ length: eventsPerRequest }, (_, at) => ({
    event: '$pageview',
    event_id: `n-${process.pid}-${requests}-${at}`,
    anonymous_id: `visitor-${requests % 5_000}`,
    properties: { url: `https://shop.example/products/${at}`, title: 'A product' },
  }))
  const headers = { authorization: `Bearer ${keys.secretKey}` }
  return httpRequest('/v1/batch', headers, Buffer.from(JSON.stringify({ batch })))
}

/** Acknowledged events in a second, over all nodes, and how long half of the requests took. */
async function measure(nodes: readonly Product[]): Promise<string> {
  const connections = Math.max(1, Math.floor(Number(options.connections) / nodes.length))
  const forMs = Number(options.seconds) * 1_000
  const loads = nodes.map((node) =>
    runLoad({ port: node.port, connections, forMs, next: () => nextRequest(node) }),
  )
  const results = await Promise.all(loads)
  const refused = results.flatMap(({ statuses }) => [...statuses].filter(([status]) => status !== 200))
  const accepted = results.reduce((sum, { statuses }) => sum + (statuses.get(200) ?? 0), 0)
  const seconds = Math.max(...results.map((result) => result.seconds))
  const medians = results.map(({ latencyMs }) => latencyMs.percentile(0.5).toFixed(1))
  const others = refused.length === 0 ? '' : `, other answers: ${refused.map(String).join(' ')}`
  const perSecond = formatNumber((accepted * eventsPerRequest) / seconds)
  return `${perSecond} events/s, half of the requests within ${medians.join(' / ')} ms${others}`
}

async function main(): Promise<void> {
  if (options.help || options.postgres === '' || options.clickhouse === '' || options.log === '') {
    return console.log(help)
  }
  const streams = { ASSAY_LOG_URL: options.log, ASSAY_LOG_NAME: 'bench' }
  const nodes: Product[] = []
  for (let index = 0; index < nodesMax; index += 1) {
    nodes.push(await startNode(index, streams))
    // The first seconds compile what is hot.
    await measure(nodes.slice(index))
    console.log(`replicated log, ${index + 1} nodes: ${await measure(nodes)}`)
  }
  for (const node of nodes) await stopProduct(node)
  const alone = await startNode(0, {})
  await measure([alone])
  console.log(`files, 1 node: ${await measure([alone])}`)
  await stopProduct(alone)
}

try {
  await main()
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
