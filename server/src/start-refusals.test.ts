import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { failedStart, startChild } from './testing/child-product.ts'
import { freePort } from './testing/free-port.ts'
import { prepareControl, sharedStores, untilTrue } from './testing/harness.ts'

const directories: string[] = []
afterEach(() => {
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true })
})

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'assay-starts-'))
  directories.push(directory)
  return directory
}

describe('a start that cannot succeed says what to do', () => {
  test('when the port is taken, or another process has the data directory', async () => {
    const { clickhouseUrl } = await sharedStores()
    const dataDir = await prepareControl(temporaryDirectory())
    const env = { ASSAY_DATA_DIR: dataDir, ASSAY_CLICKHOUSE_URL: clickhouseUrl }
    const product = await startChild(env)
    // The file is complete by the time that the port answers, and the log says the same.
    const { signInUrl } = product.keys
    expect(signInUrl).toMatch(new RegExp(`^${product.url}/sign-in#token=ml_`))
    await untilTrue('the link in the log', () => product.output().includes(`${signInUrl}"`))
    const { port } = new URL(product.url)
    const onItsPort = await failedStart({ ...env, ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_PORT: port })
    expect(onItsPort.code).toBe(1)
    expect(onItsPort.output).toContain('ASSAY_PORT')
    // Known before the stores are opened, which would take seconds.
    expect(onItsPort.output).not.toContain('Opening')
    const inItsDirectory = await failedStart({ ...env, ASSAY_PORT: String(await freePort()) })
    expect(inItsDirectory.code).toBe(1)
    expect(inItsDirectory.output).toContain('ASSAY_DATA_DIR')
    await product.kill()
  }, 120_000)

  test.each([
    { env: { ASSAY_CLICKHOUSE_URL: 'localhost:8123' }, says: 'ASSAY_CLICKHOUSE_URL' },
    { env: { ASSAY_POSTGRES_URL: 'mysql://localhost/x' }, says: 'ASSAY_POSTGRES_URL' },
    { env: { ASSAY_LOG_URL: 'kafka://localhost' }, says: 'nats:// or tls://' },
    { env: { ASSAY_LOG_URL: 'nats://a,b,c' }, says: 'Set ASSAY_POSTGRES_URL and ASSAY_CLICKHOUSE_URL too' },
    { env: { ASSAY_PORT: 'eighty' }, says: 'ASSAY_PORT' },
    { env: { ASSAY_PUBLIC_ULR: 'https://x.example' }, says: 'Is ASSAY_PUBLIC_URL meant?' },
    { env: { ASSAY_LOG_LEVEL: 'loud' }, says: 'ASSAY_LOG_LEVEL must be info or debug or warn or error' },
    { env: { ASSAY_LOG_FORMAT: 'xml' }, says: 'ASSAY_LOG_FORMAT' },
    { env: { ASSAY_CLICKHOUSE_URL: 'http://127.0.0.1:1' }, says: 'cannot be reached' },
    { env: { ASSAY_POSTGRES_URL: 'postgres://127.0.0.1:1/x' }, says: 'cannot be reached' },
    {
      env: { ASSAY_GEOIP_FILE: '/nowhere/city.mmdb' },
      says: 'ASSAY_GEOIP_FILE: /nowhere/city.mmdb cannot be read',
    },
    { env: { ASSAY_GEOIP_FILE: import.meta.filename }, says: 'download it again, and unpack it' },
  ])(
    'with $env',
    async ({ env, says }) => {
      const own = { ASSAY_DATA_DIR: temporaryDirectory(), ASSAY_PORT: String(await freePort()) }
      const { code, output } = await failedStart({ ...own, ...env })
      expect(code).toBe(1)
      expect(output).toContain(says)
    },
    60_000,
  )
})
