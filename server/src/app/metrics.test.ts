import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batch } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

let world: World
let shop: TestWorkspace

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
})
afterAll(() => world?.close())

const scraped = async () => (await fetch(`${world.product.url}/metrics`)).text()
const valueOfLine = (text: string, line: string) =>
  Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length + 1) ?? 0,
  )

test('verdicts, answers, statements and jobs are counted', async () => {
  const before = await scraped()
  const login = { event: '$login', user_id: 'u', properties: { method: 'x' } }
  const items = [
    { ...login, event_id: 'm-1' },
    { ...login, event_id: 'm-1' },
    { ...login, event_id: 'm-2', user_id: 'v' },
    { event: 5 },
  ]
  await shop.call(batch, { body: { batch: items } })
  await fetch(`${world.product.url}${batch.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${shop.keys.secret}` },
    body: '{}',
  })
  await shop.settle()
  const after = await scraped()
  const more = (line: string) => valueOfLine(after, line) - valueOfLine(before, line)
  expect(more('assay_events_total{verdict="accept"}')).toBe(2)
  expect(more('assay_events_total{verdict="duplicate"}')).toBe(1)
  expect(more('assay_events_total{verdict="reject"}')).toBe(1)
  expect(more('assay_http_requests_total{route="batch",status="200"}')).toBe(1)
  expect(more('assay_http_requests_total{route="batch",status="400"}')).toBe(1)
  expect(more('assay_http_request_seconds_count{route="batch"}')).toBe(2)
  expect(more('assay_store_statement_seconds_count{store="events",outcome="ok"}')).toBeGreaterThan(0)
  expect(valueOfLine(after, 'assay_disk_free_bytes')).toBeGreaterThan(0)
  expect(after).toContain('assay_job_seconds')
})

test('a path that a caller makes up is no label', async () => {
  await fetch(`${world.product.url}/made-up-by-a-caller`)
  expect(await scraped()).not.toContain('made-up')
})

test('the dashboard, the alerts and the page of docs name metrics that there are', async () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const text = [
    'deploy/monitoring/grafana-dashboard.json',
    'deploy/monitoring/alerts.yaml',
    'docs/monitoring.md',
  ]
    .map((file) => readFileSync(join(root, file), 'utf8'))
    .join('\n')
  const named = new Set(
    [...text.matchAll(/\b(?:assay|process|nodejs)_[a-z0-9_]*[a-z0-9]\b/g)].map(([name]) => name),
  )
  const there = new Set([...(await scraped()).matchAll(/^# TYPE (\w+)/gm)].map((match) => match[1] ?? ''))
  const plain = (name: string) => name.replace(/_(?:bucket|count|sum)$/, '')
  expect(named.size).toBeGreaterThan(15)
  expect([...named].filter((name) => !there.has(name) && !there.has(plain(name)))).toEqual([])
})
