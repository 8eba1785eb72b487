import {
  createContract,
  createMapping,
  createSite,
  listProposals,
  track,
  validateEvents,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const seat = (at: number, name = 'seat_added') => ({
  event: name,
  user_id: `u${at}`,
  properties: { seats: at, plan: ['free', 'team'][at % 2], note: at === 0 ? undefined : `n${at}` },
})

async function sendSeats(shop: TestWorkspace, count: number, name?: string): Promise<void> {
  const seats = Array.from({ length: count }, (_, at) => seat(at, name))
  await shop.send(seats, { outcomes: ['accept', 'warn', 'quarantine'] })
}

const ask = async (shop: TestWorkspace, query: object = {}) =>
  (await shop.call(listProposals, { query })).body.data

describe.each(['learning', 'strict'] as const)('in a %s workspace', (preset) => {
  test('what comes unregistered is proposed with the types that came, and passes once it is published', async () => {
    const shop = await world.newWorkspace({ preset })
    await sendSeats(shop, 60)
    await sendSeats(shop, 3, 'Seat Added')
    const [proposal, ...others] = await ask(shop)
    expect(others).toEqual([])
    expect(proposal).toMatchObject({
      key: 'seat_added',
      events: 63,
      quarantined: preset === 'strict' ? 63 : 0,
      sampled: 63,
      draft_version: null,
      contract: {
        key: 'seat_added',
        additional: 'accept',
        properties: {
          seats: { type: 'number', required: true, minimum: 0 },
          plan: { type: 'string', required: true, enum: ['free', 'team'] },
          note: { type: 'string' },
        },
      },
    })
    expect(proposal?.sent_names.toSorted()).toEqual(['Seat Added', 'seat_added'])
    if (proposal === undefined) return
    const made = await shop.call(createContract, {
      body: { ...proposal.contract, status: 'published', release: true },
    })
    expect(made.status).toBe(201)
    expect(made.body.held?.released).toBe(preset === 'strict' ? 63 : 0)
    expect(await ask(shop)).toEqual([])
    const judged = await shop.call(validateEvents, { body: { event: seat(7) } })
    expect(judged.body.outcome).toBe('accept')
  })
})

test('nothing is proposed that is standard, mapped, registered, a name no contract can have, or of another site', async () => {
  const shop = await world.newWorkspace()
  const { body: other } = await shop.call(createSite, { body: { name: 'Blog', domain: 'blog.example' } })
  await shop.call(createContract, { body: { key: 'registered', properties: {}, status: 'published' } })
  const send = (event: string, site_id = shop.siteId) =>
    shop.call(track, { body: { event, user_id: 'u1', site_id, properties: { a: 1 } } })
  for (const name of ['$purchase', 'registered', 'CTA: Hero (blue)', 'deal_won']) await send(name)
  await send('on_the_blog', other.id)
  await shop.call(createMapping, { body: { siteId: shop.siteId, source: 'deal_won', target: '$login' } })
  await shop.settle()
  expect(await ask(shop, { site_id: shop.siteId })).toEqual([])
  expect((await ask(shop)).map(({ key }) => key)).toEqual(['on_the_blog'])
  expect((await shop.call(listProposals, { query: { site_id: 'site_none' } })).status).toBe(404)
})

test('a name that was drafted already says so, and one name can be asked for, however it is written', async () => {
  const shop = await world.newWorkspace()
  await sendSeats(shop, 2)
  await sendSeats(shop, 1, 'plan_chosen')
  await shop.call(createContract, { body: { key: 'seat_added', properties: {} } })
  expect(await ask(shop)).toMatchObject([
    { key: 'seat_added', draft_version: '1-0-0' },
    { key: 'plan_chosen', draft_version: null },
  ])
  expect(await ask(shop, { key: 'Plan Chosen' })).toMatchObject([{ key: 'plan_chosen', events: 1 }])
  expect(await ask(shop, { limit: 1 })).toHaveLength(1)
  expect(await ask(shop, { key: 'never_came' })).toEqual([])
})
