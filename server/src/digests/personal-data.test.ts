import { getDigest, getSubjectRequest, identify, requestForget } from '@assay/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, untilTrue, type World } from '../testing/harness.ts'
import { makeDigest } from './testing/digest-world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
})
afterAll(() => world?.close())

async function forget(shop: TestWorkspace): Promise<void> {
  const body = { identifiers: [{ type: 'user_id', value: 'user-ada' }], regime: 'gdpr' as const }
  const { body: request } = await shop.call(requestForget, { body })
  const state = async () => (await shop.call(getSubjectRequest, { params: { id: request.id } })).body.status
  await untilTrue('the forget', async () => (await state()) === 'completed', 60_000)
}

test('the address of a forgotten person goes, and an address that only ends like it stays', async () => {
  const shop = await world.newWorkspace()
  const elsewhere = await world.newWorkspace()
  await shop.call(identify, { body: { user_id: 'user-ada', traits: { email: 'Ada@Example.com' } } })
  const recipients = ['ada@example.com', 'mada@example.com', 'grace@example.com']
  const both = await makeDigest(shop, { recipients })
  const about = await makeDigest(shop, { recipients, narrowing: { path: '/customers/ada@example.com' } })
  const other = await makeDigest(elsewhere, { recipients })
  await forget(shop)
  const emailsOf = async ({ call }: TestWorkspace, id: string) =>
    (await call(getDigest, { params: { id } })).body.recipients.map(({ email }) => email)
  expect(await emailsOf(shop, both.id)).toEqual(['grace@example.com', 'mada@example.com'])
  expect((await shop.call(getDigest, { params: { id: about.id } })).status).toBe(404)
  expect(await emailsOf(elsewhere, other.id)).toHaveLength(3)
})
