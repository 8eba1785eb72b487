import { createAudience, identify, mergePeople, reverseMerge } from '@assay/contract'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { TestWorkspace, World } from './harness.ts'
import type { Seen } from './shop-event.ts'

/** What is known of the visitors of a generated shop, and how two of them become one person and part again. */

type Traits = Readonly<Record<string, unknown>>
type ShopPeople = {
  /** Of each of the six visitors; null for those who never sign in. */
  traits: (Traits | null)[]
  /** What happens to the first and the third visitor after they have traits. */
  fate: 'alone' | 'merged' | 'parted'
}

const some = <Value>(values: readonly Value[]) => fc.constantFrom(undefined, ...values)
const traits: fc.Arbitrary<Traits> = fc
  .record({
    plan: some(['pro', 'free', 'Team Plus']),
    seats: some([1, 2, 2.5, 7, '3', 'many']),
    vip: some([true, false]),
  })
  .map((all) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)))

export const shopPeople: fc.Arbitrary<ShopPeople> = fc.record({
  traits: fc.array(fc.option(traits), { minLength: 6, maxLength: 6 }),
  fate: fc.constantFrom<ShopPeople['fate']>('alone', 'merged', 'parted'),
})

type User = { id: string; person: string; name: string; traits: Traits }

/** Signs visitors in, each as a user of their own or, where they are merged, two as one. */
async function signIn(shop: TestWorkspace, { traits, fate }: ShopPeople, isMerged: boolean) {
  const users = new Map<string, User>()
  for (const [index, own] of traits.entries()) {
    const visitor = index + 1
    const isNeeded = fate !== 'alone' && (visitor === 1 || visitor === 3)
    if (own === null && !isNeeded) continue
    const name = isMerged ? `user-${Math.ceil(visitor / 2)}` : `user-of-${visitor}`
    const body = { anonymous_id: `visitor-${visitor}`, user_id: name, traits: { ...own } }
    const answer = await shop.call(identify, { body })
    expect(answer.status).toBe(200)
    const person = isMerged ? `u${Math.ceil(visitor / 2)}` : `v${visitor}`
    const known = users.get(person)?.traits ?? {}
    users.set(person, { id: answer.body.person_id, person, name, traits: { ...known, ...own } })
  }
  return users
}

type KnownPeople = {
  events: Seen[]
  traits: Readonly<Record<string, Traits>>
  /** Lets who was merged part, if they do. */
  part: () => Promise<void>
}

/** Sends what is known of the visitors, and answers what a report has to know of them in the end. */
export async function tellPeople(
  { product }: World,
  shop: TestWorkspace,
  people: ShopPeople,
  events: readonly Seen[],
  isMerged: boolean,
): Promise<KnownPeople> {
  const users = await signIn(shop, people, isMerged)
  const traitsOf = (list: Iterable<User>) =>
    Object.fromEntries([...list].map(({ person, traits }) => [person, traits]))
  const [first, third] = [users.get(isMerged ? 'u1' : 'v1'), users.get(isMerged ? 'u2' : 'v3')]
  if (people.fate === 'alone' || first === undefined || third === undefined) {
    return { events: [...events], traits: traitsOf(users.values()), part: async () => {} }
  }
  const merged = await shop.call(mergePeople, {
    body: { survivor_id: first.id, absorbed_id: third.id, reason: 'Same person' },
  })
  expect(merged.status, JSON.stringify(merged.body)).toBe(201)
  if (people.fate === 'parted') {
    const part = async () => {
      const params = { id: merged.body.id ?? '' }
      const parted = await shop.call(reverseMerge, { params, body: { reason: 'They are two' } })
      expect(parted.status, JSON.stringify(parted.body)).toBe(201)
    }
    return { events: [...events], traits: traitsOf(users.values()), part }
  }
  // Equal ranks and equal times: the lesser id decides.
  const idOf = ({ name }: User) =>
    product.deps.people.originalId(shop.workspaceId, { type: 'user_id', value: name })
  const [weak, strong] = idOf(first) < idOf(third) ? [third, first] : [first, third]
  users.delete(third.person)
  users.set(first.person, { ...first, traits: { ...weak.traits, ...strong.traits } })
  return {
    events: events.map((event) =>
      event.person === third.person ? { ...event, person: first.person } : event,
    ),
    traits: traitsOf(users.values()),
    part: async () => {},
  }
}

/** Two audiences that overlap, by name, and what an event of their people is. */
export const shopAudiences = {
  Buyers: {
    rule: { field: 'orders', op: 'gte', value: 1, window: '60d' },
    isOf: ({ name }: Seen) => name === '$purchase',
  },
  'Cart fillers': {
    rule: { field: 'path', op: 'eq', value: '/cart' },
    isOf: ({ path }: Seen) => path === '/cart',
  },
} as const

/** Ids by name. */
export async function makeAudiences(shop: TestWorkspace): Promise<Record<string, string>> {
  const ids: Record<string, string> = {}
  for (const [name, { rule }] of Object.entries(shopAudiences)) {
    const body = { siteId: shop.siteId, name, rules: { all: [rule] } }
    const made = (await shop.call(createAudience, { body })).body
    if (!('id' in made)) throw new Error('no dry run was asked for')
    ids[name] = made.id
  }
  return ids
}
