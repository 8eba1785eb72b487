import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { makeCredentials } from '../../testing/nats-credentials.ts'
import { startSecuredNats } from '../../testing/nats-server.ts'
import { LogRefused } from './log-refusal.ts'
import { messageBytesMax, openStreams } from './streams.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-secured-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Opens the streams with settings as an operator writes them, and appends a message. */
async function append(settings: Readonly<Record<string, string>>): Promise<number> {
  const stores = { ASSAY_POSTGRES_URL: 'postgres://store', ASSAY_CLICKHOUSE_URL: 'http://store' }
  const { replicatedLog } = readConfig({ ...stores, ASSAY_LOG_PARTITIONS: '1', ...settings })
  if (replicatedLog === undefined) throw new Error('the address is no setting of a log')
  const streams = await openStreams(replicatedLog, { bytesMax: messageBytesMax, nodeId: 'test' })
  try {
    return await streams.publish(0, Buffer.from('one\n'), 'a', 5_000)
  } finally {
    await streams.close()
  }
}

/** An authority of our own, and a certificate for localhost that it signed. */
function makeCertificates(): { authority: string; certificate: string; key: string } {
  const [authority, key, certificate] = ['ca.pem', 'server.key', 'server.pem'].map((name) =>
    join(folder, name),
  )
  const [authorityKey, request, extensions] = ['ca.key', 'server.csr', 'names'].map((name) =>
    join(folder, name),
  )
  const openssl = (...args: (string | undefined)[]) =>
    execFileSync('openssl', args.map(String), { stdio: 'ignore' })
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...curve,
    '-keyout',
    authorityKey,
    '-out',
    authority,
    '-days',
    '2',
    '-subj',
    '/CN=Tests',
  )
  openssl('req', ...curve, '-keyout', key, '-out', request, '-subj', '/CN=localhost')
  writeFileSync(String(extensions), 'subjectAltName=DNS:localhost\n')
  const signing = ['-CA', authority, '-CAkey', authorityKey, '-CAcreateserial', '-extfile', extensions]
  openssl('x509', '-req', '-in', request, ...signing, '-days', '2', '-out', certificate)
  return { authority: String(authority), certificate: String(certificate), key: String(key) }
}

test('a server with a certificate of one’s own authority is used, and no other', async () => {
  const { authority, certificate, key } = makeCertificates()
  const nats = await startSecuredNats(`tls { cert_file: "${certificate}", key_file: "${key}" }\n`)
  try {
    const url = `tls://localhost:${nats.port}`
    await expect(append({ ASSAY_LOG_URL: url })).rejects.toBeInstanceOf(LogRefused)
    expect(await append({ ASSAY_LOG_URL: url, ASSAY_LOG_CA_FILE: authority })).toBe(1)
  } finally {
    await nats.close()
  }
})

test('a file of credentials is used, and a server that asks for it refuses others', async () => {
  const { lines, credentials } = makeCredentials()
  const file = join(folder, 'node.creds')
  writeFileSync(file, credentials, { mode: 0o600 })
  const nats = await startSecuredNats(lines)
  try {
    const url = `nats://127.0.0.1:${nats.port}`
    await expect(append({ ASSAY_LOG_URL: url })).rejects.toBeInstanceOf(LogRefused)
    expect(await append({ ASSAY_LOG_URL: url, ASSAY_LOG_CREDENTIALS_FILE: file })).toBe(1)
  } finally {
    await nats.close()
  }
})
