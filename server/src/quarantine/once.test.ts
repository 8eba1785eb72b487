import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  discardQuarantined,
  getOverview,
  getReceipt,
  listQuarantined,
  releaseQuarantined,
  track,
} from '@assay/contract'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { caller, startWorld, type TestWorkspace, type World } from '../testing/harness.ts'

/** Several starts of the product, on a machine that has other things to do. */
const restartMsMax = 400_000
const lawMsMax = 400_000

const purchase = (event_id: string, currency: string) => ({
  event: '$purchase',
  event_id,
  user_id: 'u1',
  properties: { amount: 20, currency },
})
const held = (event_id: string) => purchase(event_id, 'EURO')
const patch = { currency: 'EUR' }

/** Ids as they lie in the store, one for each row. */
async function storedIds({ product }: World, workspaceId: string): Promise<string[]> {
  const rows = await product.deps.events.query<{ event_id: string }>(
    'SELECT event_id FROM events WHERE workspace_id = {workspaceId:String} ORDER BY event_id',
    { workspaceId },
  )
  return rows.map((row) => row.event_id)
}

async function openWorld(options: Parameters<typeof startWorld>[0] = {}): Promise<World> {
  const world = await startWorld(options)
  onTestFinished(() => world.close())
  return world
}

test(
  'a release that was acknowledged is stored once, wherever the product dies before its segment is removed',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'assay-quarantine-'))
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const restart = () => startWorld({ control: 'embedded', config: { dataDir } })

    let world = await restart()
    onTestFinished(() => world.close())
    const { call, settle, keys, workspaceId } = await world.newWorkspace({ preset: 'strict' })
    for (const id of ['once', 'left']) await call(track, { body: held(id) })
    await settle()
    await world.product.deps.writer.stop()
    const first = await call(releaseQuarantined, { body: { ids: ['qtn_once'], patch } })
    expect(first.body).toMatchObject({ matched: 1, released: 1 })
    const again = await call(releaseQuarantined, { body: { ids: ['qtn_once'], patch } })
    expect(again.status, 'the content of the quarantine is uncertain while the store is behind').toBe(503)
    expect(await storedIds(world, workspaceId)).toEqual([])
    await world.close()
    const segments = readdirSync(`${dataDir}/log`).filter((name) => name.endsWith('.ndjson'))
    expect(segments).toHaveLength(1)
    for (const name of segments) cpSync(`${dataDir}/log/${name}`, `${dataDir}/${name}`)

    for (const death of [
      'between append and load',
      'between load and removal of the segment',
      'on two nodes',
    ]) {
      world = await restart()
      const ask = caller(world.product.url, keys.live)
      expect(await storedIds(world, workspaceId), death).toEqual(['once'])
      const receipt = await ask(getReceipt, { params: { event_id: 'once' } })
      expect(receipt.body).toMatchObject({ state: 'stored', outcome: 'accept' })
      const repeated = await ask(releaseQuarantined, { body: { ids: ['qtn_once'], patch } })
      expect(repeated.body).toMatchObject({ matched: 0, released: 0 })
      const resent = await ask(track, { body: held('once') })
      expect(resent.body).toMatchObject({ duplicate: true, outcome: 'accept' })
      const waiting = await ask(listQuarantined, { query: { state: 'held' } })
      expect(waiting.body.data.map((one) => one.event_id)).toEqual(['left'])
      await world.close()
      for (const name of segments) {
        // Another node's segment has another name, and with it another token.
        const isOther = death === 'between load and removal of the segment'
        const left = isOther ? name.replace(/[0-9a-f]{16}(?=\.ndjson$)/, '0123456789abcdef') : name
        cpSync(`${dataDir}/${name}`, `${dataDir}/log/${left}`)
      }
    }
  },
  restartMsMax,
)

type Fate = 'held' | 'stored' | 'discarded'
type Step =
  | { kind: 'send'; id: string; isGood: boolean }
  | { kind: 'release'; id: string; isMended: boolean; times: number }
  | { kind: 'discard'; id: string; times: number }
  | { kind: 'releaseAll' }
  | { kind: 'discardAll' }

const ids = ['a', 'b', 'c']
const id = fc.constantFrom(...ids)
const times = fc.integer({ min: 1, max: 3 })
const steps = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const), id, isGood: fc.boolean() }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('release' as const), id, isMended: fc.boolean(), times }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('discard' as const), id, times }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('releaseAll' as const) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('discardAll' as const) }) },
  ),
  { minLength: 3, maxLength: 9 },
)

/** What the product promises, without a log, a store or a clock. */
function expectedAfter(fates: Map<string, Fate>, step: Step): void {
  if (step.kind === 'send') {
    if (!fates.has(step.id)) fates.set(step.id, step.isGood ? 'stored' : 'held')
    return
  }
  if (step.kind === 'release' && !step.isMended) return
  for (const one of 'id' in step ? [step.id] : ids) {
    if (fates.get(one) !== 'held') continue
    fates.set(one, step.kind === 'discard' || step.kind === 'discardAll' ? 'discarded' : 'stored')
  }
}

async function perform({ call }: TestWorkspace, step: Step): Promise<unknown> {
  if (step.kind === 'send') {
    return call(track, { body: purchase(step.id, step.isGood ? 'EUR' : 'EURO') })
  }
  if (step.kind === 'releaseAll') return call(releaseQuarantined, { body: { filter: {}, patch } })
  if (step.kind === 'discardAll') return call(discardQuarantined, { body: { filter: {} } })
  const chosen = { ids: [`qtn_${step.id}`] }
  const once = () =>
    step.kind === 'discard'
      ? call(discardQuarantined, { body: chosen })
      : call(releaseQuarantined, { body: { ...chosen, ...(step.isMended && { patch }) } })
  return Promise.all(Array.from({ length: step.times }, once))
}

test(
  'whatever is sent, released and discarded in whatever order, an event is stored once or not at all',
  async () => {
    const world = await openWorld()
    await fc.assert(
      fc.asyncProperty(steps, async (sequence: Step[]) => {
        const shop = await world.newWorkspace({ preset: 'strict' })
        const fates = new Map<string, Fate>()
        for (const step of sequence) {
          await perform(shop, step)
          expectedAfter(fates, step)
        }
        await shop.settle()
        const stored = [...fates].filter(([, fate]) => fate === 'stored').map(([one]) => one)
        expect(await storedIds(world, shop.workspaceId)).toEqual(stored.toSorted())
        const overview = await shop.call(getOverview, { query: { siteId: shop.siteId } })
        expect(overview.body.metrics.events).toBe(stored.length)
        const { data } = (await shop.call(listQuarantined, { query: {} })).body
        for (const { event_id, state } of data) {
          expect(state === 'released' ? 'stored' : state).toBe(fates.get(event_id))
        }
      }),
      { numRuns: 8 },
    )
  },
  lawMsMax,
)
