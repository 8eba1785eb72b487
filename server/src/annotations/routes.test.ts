import {
  type Annotation,
  type AnnotationOrder,
  annotationLimits,
  createAnnotation,
  createSite,
  deleteAnnotation,
  listAnnotations,
  listAuditLog,
  updateAnnotation,
} from '@assay/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '../platform/clock.ts'
import { dayMs, hourMs } from '../platform/units.ts'
import { startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

const clock = { ms: Date.UTC(2026, 10, 10, 12) }
let world: World
let serial = 0

beforeAll(async () => {
  world = await startWorld({ now: () => clock.ms })
})
afterAll(() => world?.close())

const iso = (ms: number) => new Date(ms).toISOString()
const wide = { from: iso(clock.ms - 390 * dayMs), to: iso(clock.ms + dayMs) }

type Query = Parameters<typeof readAll>[1]

/** All pages, a few rows at a time. */
async function readAll(
  shop: TestWorkspace,
  query: {
    siteId?: string
    from?: string
    to?: string
    kind?: Annotation['kind']
    order?: AnnotationOrder
    limit?: number
  },
): Promise<Annotation[]> {
  const found: Annotation[] = []
  let cursor: string | undefined
  do {
    const asked = { ...query, ...(cursor !== undefined && { cursor }) }
    const { status, body } = await shop.call(listAnnotations, { query: asked })
    expect(status).toBe(200)
    expect(body.data.length).toBeLessThanOrEqual(query.limit ?? 50)
    found.push(...body.data)
    cursor = body.nextCursor ?? undefined
  } while (cursor !== undefined)
  return found
}

const inOrder = (one: Annotation, other: Annotation) =>
  Date.parse(one.at) - Date.parse(other.at) || (one.id < other.id ? -1 : 1)

async function secondSite(shop: TestWorkspace): Promise<string> {
  const { body } = await shop.call(createSite, {
    body: { name: 'Second', domain: `second-${serial++}.example` },
  })
  return body.id
}

describe('what is written', () => {
  test('is listed by site and period, oldest or newest first, page by page, with what is for every site', async () => {
    const hours = fc.integer({ min: -72, max: 72 })
    const written = fc.array(fc.record({ hours, where: fc.constantFrom('one', 'two', 'all') }), {
      maxLength: 9,
    })
    const asked = fc.record({
      from: hours,
      length: fc.integer({ min: 1, max: 60 }),
      limit: fc.integer({ min: 1, max: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(written, asked, async (wanted, { from, length, limit }) => {
        const shop = await world.newWorkspace()
        const sites = { one: shop.siteId, two: await secondSite(shop), all: null }
        const made: Annotation[] = []
        for (const { hours: at, where } of wanted) {
          const body = { siteId: sites[where], at: iso(clock.ms + at * hourMs), text: `${where} ${at}` }
          made.push((await shop.call(createAnnotation, { body })).body)
        }
        const [fromMs, toMs] = [clock.ms + from * hourMs, clock.ms + (from + length) * hourMs]
        const period: Query = { from: iso(fromMs), to: iso(toMs), limit }
        const isIn = ({ at }: Annotation) => Date.parse(at) >= fromMs && Date.parse(at) < toMs
        for (const siteId of [sites.one, sites.two]) {
          const expected = made.filter((one) => isIn(one) && (one.siteId === siteId || one.siteId === null))
          expect(await readAll(shop, { ...period, siteId })).toEqual(expected.sort(inOrder))
          const newest = await readAll(shop, { ...period, siteId, order: 'newest' })
          expect(newest).toEqual(expected.reverse())
        }
        expect(await readAll(shop, period)).toEqual(made.filter(isIn).sort(inOrder))
      }),
      { numRuns: 12 },
    )
  }, 120_000)

  test('has the time of the request, the caller as author, and can be changed and deleted', async () => {
    const shop = await world.newWorkspace()
    const person = await world.signIn('analyst', shop)
    const { status, body: made } = await person.call(createAnnotation, { body: { text: '  Sale \n' } })
    expect(status).toBe(201)
    expect(made).toMatchObject({ kind: 'manual', siteId: null, at: iso(clock.ms), text: 'Sale', link: null })
    expect(made.author).toBe(person.userId)
    const params = { id: made.id }
    const link = 'https://example.com/sale?a=1'
    const changed = await shop.call(updateAnnotation, { params, body: { link } })
    expect(changed.body).toEqual({ ...made, link, updatedAt: iso(clock.ms) })
    const moved = await shop.call(updateAnnotation, {
      params,
      body: { at: '2026-11-01T10:00:00+02:00', link: null },
    })
    expect(moved.body).toMatchObject({ at: '2026-11-01T08:00:00.000Z', text: 'Sale', link: null })
    expect((await shop.call(deleteAnnotation, { params })).status).toBe(204)
    expect((await shop.call(deleteAnnotation, { params })).status).toBe(404)
    expect((await shop.call(updateAnnotation, { params, body: { text: 'x' } })).status).toBe(404)
    expect(await readAll(shop, wide)).toEqual([])
    const { body: log } = await shop.call(listAuditLog, { query: { limit: 10 } })
    const acts = log.data.filter(({ object }) => object.id === made.id).map(({ action }) => action)
    expect(acts.sort()).toEqual([
      'annotation.created',
      'annotation.deleted',
      'annotation.updated',
      'annotation.updated',
    ])
  })

  test.each([
    ['a link that would run', { text: 'x', link: 'javascript:alert(1)' }],
    ['a link with a login', { text: 'x', link: 'https://a:b@example.com/' }],
    ['a link that is none', { text: 'x', link: 'example.com' }],
    [
      'a link that is longer once it is written out',
      { text: 'x', link: `https://example.com/${'ü'.repeat(600)}` },
    ],
    ['spaces', { text: ' \n ' }],
    ['a time without a zone', { text: 'x', at: '2026-11-01T10:00:00' }],
    ['a day that does not exist', { text: 'x', at: '2026-13-01T10:00:00Z' }],
    ['a time of long ago', { text: 'x', at: '1999-12-31T23:59:59Z' }],
    ['a text that is too long', { text: 'x'.repeat(annotationLimits.textCharactersMax + 1) }],
  ])('is refused as %s', async (_, body) => {
    const shop = await world.newWorkspace()
    const refused = await shop.call(createAnnotation, { body })
    expect(refused.status).toBe(422)
    expect(await readAll(shop, wide)).toEqual([])
  })

  test('is refused for a site of another workspace, and beyond as many as a workspace may have', async () => {
    const [shop, other] = [await world.newWorkspace(), await world.newWorkspace()]
    const body = { siteId: other.siteId, text: 'x' }
    expect((await shop.call(createAnnotation, { body })).status).toBe(404)
    expect((await shop.call(listAnnotations, { query: { siteId: other.siteId } })).status).toBe(404)
    await world.product.deps.control.query(
      `INSERT INTO annotations (workspace_id, id, at, text, author, created_at, updated_at)
       SELECT $1, 'ann_' || lpad(nth::text, 26, '0'), now(), 'x', 'x', now(), now()
       FROM generate_series(2, $2) AS nth`,
      [shop.workspaceId, annotationLimits.annotationsMax],
    )
    const made = await Promise.all(
      ['one', 'two'].map((text) => shop.call(createAnnotation, { body: { text } })),
    )
    expect(made.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test.each(['x', '1.ann_x', '99999999999999.ann_00000000000000000000000000', `1.per_${'0'.repeat(26)}`])(
    'is not listed after the cursor %s',
    async (cursor) => {
      const shop = await world.newWorkspace()
      expect((await shop.call(listAnnotations, { query: { cursor } })).status).toBe(422)
    },
  )
})

describe('releases', () => {
  type Seen = { release: string; hoursAgo: number; isBot?: boolean }
  const agents = {
    bot: 'Googlebot/2.1',
    person: 'Mozilla/5.0 (X11; Linux x86_64) Chrome/141.0 Safari/537.36',
  }

  async function see(shop: TestWorkspace, seen: readonly Seen[]): Promise<void> {
    if (seen.length === 0) return
    const events = seen.map(({ release, hoursAgo, isBot = false }) => ({
      event: '$login',
      event_id: newId('evt'),
      anonymous_id: `a-${serial++}`,
      ts: iso(clock.ms - hoursAgo * hourMs),
      historical: true,
      properties: { method: 'x' },
      context: { app: { version: release }, userAgent: isBot ? agents.bot : agents.person },
    }))
    await shop.send(events, { outcomes: ['accept', 'warn'] })
  }

  test('are listed at their first event that counts, in the period that holds it', async () => {
    const seen = fc.array(
      fc.record({
        release: fc.constantFrom('', '1.0.0', '1.1.0', '2.0.0-beta "x"', '3'),
        hoursAgo: fc.integer({ min: 1, max: 96 }),
        isBot: fc.boolean(),
      }),
      { maxLength: 14 },
    )
    const period = fc.record({
      from: fc.integer({ min: 2, max: 96 }),
      length: fc.integer({ min: 1, max: 96 }),
    })
    await fc.assert(
      fc.asyncProperty(seen, period, async (sent, { from, length }) => {
        const shop = await world.newWorkspace()
        await see(shop, sent)
        const { body: note } = await shop.call(createAnnotation, {
          body: { text: 'x', at: iso(clock.ms - from * hourMs) },
        })
        const [fromMs, toMs] = [clock.ms - from * hourMs, clock.ms - (from - length) * hourMs]
        const counted = sent.filter(({ release, isBot }) => release !== '' && !isBot)
        const firsts = [...Map.groupBy(counted, ({ release }) => release)].map(([release, of]) => ({
          release,
          ms: clock.ms - Math.max(...of.map(({ hoursAgo }) => hoursAgo)) * hourMs,
        }))
        const expected = firsts
          .filter(({ ms }) => ms >= fromMs && ms < toMs)
          .map(({ release, ms }) => `${iso(ms)} ${release}`)
        const query = { siteId: shop.siteId, from: iso(fromMs), to: iso(toMs), limit: 2 }
        const found = await readAll(shop, query)
        const releases = found.filter(({ kind }) => kind === 'release')
        expect(releases.map(({ at, text }) => `${at} ${text}`).sort()).toEqual(expected.sort())
        expect(found.filter(({ kind }) => kind === 'manual')).toEqual([note])
        expect(found).toEqual([...found].sort(inOrder))
        expect(await readAll(shop, { ...query, order: 'newest' })).toEqual(found.toReversed())
        expect(await readAll(shop, { ...query, kind: 'release' })).toEqual(releases)
        expect(await readAll(shop, { ...query, kind: 'manual' })).toEqual([note])
      }),
      { numRuns: 10 },
    )
  }, 120_000)

  test('are of their site alone, keep their id, and cannot be changed', async () => {
    const shop = await world.newWorkspace()
    await see(shop, [{ release: '1.0.0', hoursAgo: 5 }])
    const [release] = await readAll(shop, { siteId: shop.siteId })
    expect(release).toMatchObject({ kind: 'release', text: '1.0.0', author: null, siteId: shop.siteId })
    await see(shop, [{ release: '1.0.0', hoursAgo: 6 }])
    const [again] = await readAll(shop, { siteId: shop.siteId })
    expect(again).toMatchObject({ id: release?.id, at: iso(clock.ms - 6 * hourMs) })
    expect(await readAll(shop, { siteId: await secondSite(shop) })).toEqual([])
    expect(await readAll(shop, {})).toEqual([])
    const params = { id: release?.id ?? '' }
    expect((await shop.call(deleteAnnotation, { params })).status).toBe(404)
  })

  test('are at most so many, those with the most events', async () => {
    const shop = await world.newWorkspace()
    const { releasesMax } = annotationLimits
    const many = Array.from({ length: releasesMax + 5 }, (_, nth) => ({ release: `r${nth}`, hoursAgo: 9 }))
    await see(shop, [...many, { release: 'busy', hoursAgo: 2 }, { release: 'busy', hoursAgo: 2 }])
    const found = await readAll(shop, { siteId: shop.siteId, limit: 30 })
    expect(found).toHaveLength(releasesMax)
    expect(found.at(-1)).toMatchObject({ text: 'busy' })
    expect(new Set(found.map(({ id }) => id)).size).toBe(releasesMax)
  })
})
