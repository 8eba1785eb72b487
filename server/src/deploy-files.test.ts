import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const root = join(import.meta.dirname, '..', '..')
const deploy = join(root, 'deploy')
const files = readdirSync(deploy, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name))
const texts = [...files, join(root, 'compose.yaml'), join(root, 'docs', 'production.md')].map((file) => ({
  file: file.slice(root.length + 1),
  text: readFileSync(file, 'utf8'),
}))

/** The password is of the compose file itself, and a name that ends open is a placeholder. */
const notSettings = new Set(['ASSAY_STORE_PASSWORD', 'ASSAY_'])
const validValues: Readonly<Record<string, string>> = {
  ASSAY_TRUST_PROXY: '127.0.0.1/32',
  ASSAY_PUBLIC_URL: 'https://analytics.example',
  ASSAY_OWNER_EMAIL: 'you@example.com',
  ASSAY_SMTP_URL: 'smtps://mail.example',
  ASSAY_METRICS: 'open',
  ASSAY_METRICS_TOKEN: 'x'.repeat(40),
  ASSAY_ENCRYPTION_KEY: 'x'.repeat(64),
  ASSAY_CLICKHOUSE_URL: 'http://clickhouse:8123',
  ASSAY_POSTGRES_URL: 'postgres://postgres/assay',
  ASSAY_EVENTS_TAKE_OVER: 'true',
  ASSAY_LOG_URL: 'nats://nats-1,nats-2,nats-3',
  ASSAY_ROLES: 'data,control,loader,jobs',
  ASSAY_PORT: '4400',
}

test.each(texts)('$file names settings that there are', ({ text }) => {
  const named = [...new Set([...text.matchAll(/ASSAY_[A-Z_]*/g)].map(([name]) => name))]
  const settings = named.filter((name) => !notSettings.has(name))
  const env = Object.fromEntries(settings.map((name) => [name, validValues[name] ?? '']))
  expect(() => readConfig(env)).not.toThrow()
})

test('a setting that does not exist would be found', () => {
  expect(() => readConfig({ ASSAY_PUBLIC_ADDRESS: 'x' })).toThrow('There is no setting ASSAY_PUBLIC_ADDRESS')
})
