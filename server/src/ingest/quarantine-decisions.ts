import { type CompiledContract, Problem, toSnakeCase } from '@assay/contract'
import type { Clock, NewId } from '../clock.ts'
import type { HeldEvents } from '../registry/held.ts'
import type { Registry } from '../registry/knowledge.ts'
import type { Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import type { Ingest } from './pipeline.ts'
import { toQuery } from './quarantine.ts'
import { type Patch, passes, type Rejudged, rejudge, saysMore } from './quarantine-judging.ts'
import {
  countDecided,
  countHeldEvents,
  type HeldQuery,
  type HeldRow,
  insertDiscards,
  type Place,
  selectBetween,
  selectNames,
  selectOldest,
} from './quarantine-store.ts'
import { createTurns } from './turns.ts'
import type { Writer } from './writer.ts'

export type ReleaseOptions = {
  patch?: Patch | undefined
  dryRun: boolean
  keyId: string
  /** Judged as if this contract were in force; only for dry runs. */
  draft?: CompiledContract | undefined
}
export type Released = {
  matched: number
  released: number
  stillHeld: number
  /** The first of them. */
  results: Rejudged[]
}

/** Several queries are one selection whose ids do not fit one statement. */
export type Selection = readonly HeldQuery[]

export type Decisions = {
  release: (selection: Selection, options: ReleaseOptions) => Promise<Released>
  /** Answers how many were, or would be, discarded. */
  discard: (selection: Selection, options: { dryRun: boolean; keyId: string }) => Promise<number>
  held: HeldEvents
}

export type DecisionsOptions = {
  control: Control
  events: Events
  registry: Registry
  sites: Sites
  ingest: Ingest
  writer: Writer
  now: Clock
  newId: NewId
}

const resultsMax = 200
/** Keys fetched at a time: some 100 bytes each. */
const keysPerRound = 20_000
/** Events judged and appended at a time: 32 MB at the very worst, usually one or two. */
const eventsPerBatch = 1_000
/** What was acknowledged is loaded before it is decided about; the usual load takes a fraction of a second. */
const flushMsMax = 10_000
/** Different spellings of one name; more are the work of somebody who plays with names. */
const spellingsMax = 200
const namesMax = 10_000

/**
 * Decisions about held events. They are made one at a time: each first waits until what was decided before can be read,
 * and ends when its own can. So no event is decided about twice, however often and from wherever it is asked for.
 */
export function createDecisions(options: DecisionsOptions): Decisions {
  const { control, events, registry, sites, ingest, writer, now, newId } = options
  const turns = createTurns(control)

  async function inTurn<T>(selection: Selection, dryRun: boolean, work: () => Promise<T>): Promise<T> {
    const workspaceId = selection[0]?.workspaceId ?? ''
    const settled = async () => {
      if (!(await writer.flush(flushMsMax))) throw storeIsBehind()
      const result = await work()
      // Not to be waited for at any price: what was decided is on disk, and the next decision waits for it.
      if (!dryRun) await writer.flush(flushMsMax)
      return result
    }
    return dryRun ? settled() : turns.take(workspaceId, settled)
  }

  async function release(selection: Selection, asked: ReleaseOptions): Promise<Released> {
    const decision = { id: newId('dec'), atMs: now(), by: asked.keyId }
    const done: Released = { matched: 0, released: 0, stillHeld: 0, results: [] }
    const patch = asked.patch ?? {}
    const hasPatch = Object.keys(patch).length > 0
    const lineDecision = { ...decision, patch: hasPatch ? JSON.stringify(patch) : '' }
    return inTurn(selection, asked.dryRun, async () => {
      for await (const { rows, workspaceId } of batches(events, selection)) {
        const judged = await rejudge(rows, { registry, sites, workspaceId, patch, draft: asked.draft })
        const passed = judged.filter(passes)
        // With a patch the issues are those of an event that was never sent.
        const changed = hasPatch ? [] : judged.filter((one) => !passes(one) && saysMore(one))
        if (!asked.dryRun) {
          await ingest.decide(passed, changed, workspaceId, lineDecision).catch((error) => {
            throw done.released === 0 ? error : stoppedMidway(done.released, error)
          })
        }
        count(done, judged, passed.length)
      }
      return done
    })
  }

  async function discard(
    selection: Selection,
    { dryRun, keyId }: { dryRun: boolean; keyId: string },
  ): Promise<number> {
    return inTurn(selection, dryRun, async () => {
      const decision = { id: newId('dec'), atMs: now(), by: keyId }
      let discarded = 0
      for (const query of selection) {
        if (dryRun) discarded += await countHeldEvents(events, query)
        else await insertDiscards(events, query, decision)
      }
      return dryRun ? discarded : countDecided(events, selection[0]?.workspaceId ?? '', decision.id)
    })
  }

  /** Held events of one name, however it was written. */
  async function ofName(workspaceId: string, name: string): Promise<Selection> {
    const nowMs = now()
    const held: HeldQuery = { ...toQuery(workspaceId, { state: 'held' }, nowMs), toMs: nowMs + 1 }
    const seen = await selectNames(events, held, namesMax)
    const spellings = seen
      .filter((one) => one.name === name || toSnakeCase(one.sent_name) === name)
      .map((one) => one.sent_name)
    const names = [...new Set(spellings)].slice(0, spellingsMax)
    return [{ ...held, names }]
  }

  return {
    release,
    discard,
    held: {
      async wouldPass(workspaceId, name, draft) {
        const asked = { dryRun: true, keyId: '', draft }
        return (await release(await ofName(workspaceId, name), asked)).released
      },
      async release(workspaceId, name, keyId) {
        return (await release(await ofName(workspaceId, name), { dryRun: false, keyId })).released
      },
    },
  }
}

function count(done: Released, judged: readonly Rejudged[], passed: number): void {
  done.matched += judged.length
  done.released += passed
  done.stillHeld += judged.length - passed
  done.results.push(...judged.slice(0, resultsMax - done.results.length))
}

/** Oldest first. Keys are fetched ahead, and what was sent only for one batch at a time. */
async function* batches(
  events: Events,
  selection: Selection,
): AsyncGenerator<{ rows: HeldRow[]; workspaceId: string }> {
  for (const query of selection) {
    let after: Place | null = null
    do {
      const keys: Place[] = await selectOldest(events, query, after, keysPerRound)
      for (let at = 0; at < keys.length; at += eventsPerBatch) {
        const [first, last] = [keys[at], keys[Math.min(at + eventsPerBatch, keys.length) - 1]]
        if (first === undefined || last === undefined) break
        yield {
          rows: await selectBetween(events, query, first, last),
          workspaceId: query.workspaceId,
        }
      }
      after = keys.length < keysPerRound ? null : (keys.at(-1) ?? null)
    } while (after !== null)
  }
}

function storeIsBehind(): Problem {
  return new Problem('unavailable', {
    detail: 'The events store is behind, so what is held is not known for certain. Nothing was decided.',
    headers: { 'retry-after': '5' },
  })
}

function stoppedMidway(released: number, cause: unknown): Problem {
  return new Problem('unavailable', {
    detail: `${released} events were released, then there was no room for more. Repeat the call for the rest.`,
    internal: 'a release stopped midway',
    cause,
    headers: { 'retry-after': '5' },
  })
}
