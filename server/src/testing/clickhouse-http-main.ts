import { startClickHouseHttp } from './clickhouse-http.ts'

/** One engine for several test processes: `node clickhouse-http-main.ts <directory>` prints the address. */
const [, , directory] = process.argv
if (!directory) throw new Error('Usage: clickhouse-http-main.ts <directory>')

const server = await startClickHouseHttp({ path: directory })
console.log(server.url)
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    server.close().then(() => process.exit(0))
  })
}
