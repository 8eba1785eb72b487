import { listDigests } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs, hourMs } from '../../platform/units.ts'
import {
  caller,
  type Database,
  makeDatabase,
  raise,
  startWorld,
  type TestWorkspace,
  type World,
} from '../../testing/harness.ts'
import { type MailServer, startMailServer } from '../../testing/mail-server.ts'
import { type NatsServers, startNats } from '../../testing/nats-server.ts'
import { headerOf, makeDigest, mondayMs } from '../testing/digest-world.ts'

const clock = { ms: mondayMs }
let database: Database
let nats: NatsServers
let mailServer: MailServer
let shop: TestWorkspace
const nodes: World[] = []

beforeAll(async () => {
  database = await makeDatabase()
  nats = await startNats(1)
  mailServer = await startMailServer()
  const replicatedLog = nats.settings({ partitions: 2 })
  const config = { postgresUrl: database.url, replicatedLog, smtpUrl: mailServer.url }
  for (let count = 0; count < 2; count++) nodes.push(await startWorld({ now: () => clock.ms, config }))
  const [first] = nodes
  if (first === undefined) throw new Error('the nodes were not started')
  shop = await first.newWorkspace({ timezone: 'UTC' })
}, 240_000)
afterAll(async () => {
  await Promise.all(nodes.map((node) => node.close()))
  await mailServer?.close()
  await nats?.close()
  await database?.drop()
})

const work = () => Promise.all(nodes.map(({ product }) => product.deps.digests.sending.work(raise)))
const mailsTo = (email: string) =>
  mailServer.mails.filter(({ to }) => to?.some(({ address }) => address === email))

test('two nodes send each digest once to each recipient, week by week', async () => {
  const recipients = Array.from({ length: 5 }, (_, nth) => `reader-${nth}@nodes.example`)
  const made = await Promise.all(Array.from({ length: 4 }, () => makeDigest(shop, { recipients })))
  for (let week = 1; week <= 3; week++) {
    clock.ms = mondayMs + (week - 1) * 7 * dayMs + 2 * hourMs
    await work()
    await work()
    for (const email of recipients) expect(mailsTo(email)).toHaveLength(week * made.length)
  }
})

test('a link of one node is known to the other', async () => {
  const [mail] = mailsTo('reader-0@nodes.example')
  if (mail === undefined) throw new Error('no mail came')
  const { pathname } = new URL(headerOf(mail, 'list-unsubscribe').slice(1, -1))
  for (const { product } of nodes) {
    const answer = await fetch(`${product.url}${pathname}`, { method: 'POST' })
    expect(await answer.text()).toContain('You are unsubscribed')
  }
  const states: string[] = []
  for (const { product } of nodes) {
    const call = caller(product.url, shop.keys.live)
    const { data } = (await call(listDigests, { query: { limit: 50 } })).body
    states.push(...data.flatMap(({ recipients }) => recipients.map(({ state }) => state)))
  }
  expect(states.filter((state) => state === 'unsubscribed')).toHaveLength(nodes.length)
})
