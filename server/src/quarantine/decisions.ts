import { type CompiledContract, Problem, toSnakeCase } from '@assay/contract'
import type { ConsentJudge } from '../consent/consents.ts'
import type { Ingest } from '../ingest/ingest.ts'
import type { Writer } from '../ingest/loader/loader.ts'
import type { QuarantinedRow, Revalidated } from '../ingest/row/quarantined-event.ts'
import { jsonText } from '../ingest/row/row.ts'
import { createWorkspaceQueue, type WorkspaceQueue } from '../ingest/row/workspace-queue.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { QuarantinedEvents, QuarantinePlace } from '../registry/contracts/quarantine-port.ts'
import type { Registry } from '../registry/registry.ts'
import type { Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import type { Events } from '../store/events.ts'
import { toQuery } from './quarantine.ts'
import { type Patch, passes, rejudge, saysMore } from './revalidation.ts'
import {
  countDecided,
  countQuarantinedEvents,
  insertDiscards,
  type Place,
  type QuarantineQuery,
  selectBetween,
  selectNames,
  selectOldest,
} from './store.ts'

type ReleaseOptions = {
  patch?: Patch | undefined
  dryRun: boolean
  actorId: string
  /** Validated as if this contract were live; only for dry runs. */
  draft?: CompiledContract | undefined
}
type Released = {
  matched: number
  released: number
  stillQuarantined: number
  /** The first of them. */
  results: Revalidated[]
}

/** Several queries are one selection whose ids do not fit one statement. */
export type Selection = readonly QuarantineQuery[]

export type Decisions = {
  release: (selection: Selection, options: ReleaseOptions) => Promise<Released>
  /** Answers how many were, or would be, discarded. */
  discard: (selection: Selection, options: { dryRun: boolean; actorId: string }) => Promise<number>
  held: QuarantinedEvents
}

type DecisionsOptions = {
  control: Control
  events: Events
  registry: Registry
  consents: ConsentJudge
  sites: Sites
  ingest: Ingest
  writer: Writer
  now: Clock
  newId: NewId
}

const resultsMax = 200
/** Keys fetched at a time: some 100 bytes each. */
const keysPerRound = 20_000
/** What was sent, read at a time: 100 MB at the very worst, usually two or three. The store reads in thousands. */
const eventsPerRead = 2_000
/** Events judged and appended at a time, so that other requests get their turn in between. */
const eventsPerAppend = 500
/** After so many a release lets the store catch up, so that what others send meanwhile is not kept waiting for long. */
const eventsPerPause = 10_000
/** What was acknowledged is loaded before it is decided about; the usual load takes a fraction of a second. */
const flushMsMax = 10_000
/** Distinct spellings of one name; more are not accidental. */
const spellingsMax = 200
const namesMax = 10_000

export function createDecisions(options: DecisionsOptions): Decisions {
  return new OneAtATime(options)
}

/**
 * Decisions about quarantined events. They are made one at a time: each waits until earlier decisions can be
 * read, and ends when its own can. So no event is decided twice, however often and from wherever it is
 * requested.
 */
class OneAtATime implements Decisions {
  readonly held: QuarantinedEvents
  readonly #options: DecisionsOptions
  readonly #turns: WorkspaceQueue

  constructor(options: DecisionsOptions) {
    this.#options = options
    this.#turns = createWorkspaceQueue(options.control)
    this.held = {
      wouldPass: async (at, name, draft) => {
        const selection = await this.#ofName(at, name)
        return (await this.release(selection, { dryRun: true, actorId: '', draft })).released
      },
      release: async (at, name, actorId) => {
        const selection = await this.#ofName(at, name)
        return (await this.release(selection, { dryRun: false, actorId })).released
      },
      waiting: async (at, name) => {
        const [query] = await this.#ofName(at, name)
        if (query === undefined) return { events: 0, names: [] }
        return { events: await countQuarantinedEvents(options.events, query), names: query.names ?? [] }
      },
    }
  }

  release(selection: Selection, asked: ReleaseOptions): Promise<Released> {
    return this.#inTurn(selection, asked.dryRun, () => this.#release(selection, asked))
  }

  discard(selection: Selection, { dryRun, actorId }: { dryRun: boolean; actorId: string }): Promise<number> {
    const { events, now, newId } = this.#options
    return this.#inTurn(selection, dryRun, async () => {
      const decision = { id: newId('dec'), atMs: now(), by: actorId }
      let discarded = 0
      for (const query of selection) {
        if (dryRun) discarded += await countQuarantinedEvents(events, query)
        else await insertDiscards(events, query, decision)
      }
      return dryRun ? discarded : countDecided(events, selection[0]?.workspaceId ?? '', decision.id)
    })
  }

  async #inTurn<T>(selection: Selection, dryRun: boolean, work: () => Promise<T>): Promise<T> {
    const { writer } = this.#options
    const settled = async () => {
      await this.#catchUp()
      const result = await work()
      // Not to be waited for at any price: what was decided is on disk, and the next decision waits for it.
      if (!dryRun) await writer.flush(flushMsMax)
      return result
    }
    return dryRun ? settled() : this.#turns.take(selection[0]?.workspaceId ?? '', settled)
  }

  async #catchUp(): Promise<void> {
    if (!(await this.#options.writer.flush(flushMsMax))) throw storeIsBehind()
  }

  async #release(
    selection: Selection,
    { patch = {}, dryRun, actorId, draft }: ReleaseOptions,
  ): Promise<Released> {
    const { events, registry, consents, sites, ingest, writer, now, newId } = this.#options
    const hasPatch = Object.keys(patch).length > 0
    const decision = {
      id: newId('dec'),
      atMs: now(),
      by: actorId,
      patch: hasPatch ? jsonText(patch) : ('' as const),
    }
    const done: Released = { matched: 0, released: 0, stillQuarantined: 0, results: [] }
    let sincePause = 0
    for await (const { rows, workspaceId } of batches(events, selection)) {
      const judged = await rejudge(rows, { registry, consents, sites, workspaceId, patch, draft })
      const passed = judged.filter(passes)
      // With a patch the issues are those of an event that was never sent.
      const changed = hasPatch ? [] : judged.filter((one) => !passes(one) && saysMore(one))
      if (!dryRun) {
        await ingest.decide(passed, changed, workspaceId, decision).catch((error) => {
          const isMidway = done.released > 0 && error instanceof Problem
          throw isMidway ? stoppedMidway(done.released, error) : error
        })
      }
      count(done, judged, passed.length)
      sincePause += dryRun ? 0 : passed.length + changed.length
      if (sincePause < eventsPerPause) continue
      await writer.flush(flushMsMax)
      sincePause = 0
    }
    return done
  }

  /** Quarantined events of one name in any spelling, including those that arrived this moment. */
  async #ofName({ workspaceId, siteId }: QuarantinePlace, name: string): Promise<Selection> {
    const { events, now } = this.#options
    await this.#catchUp()
    const nowMs = now()
    const held: QuarantineQuery = {
      ...toQuery(workspaceId, { state: 'held', ...(siteId !== undefined && { site_id: siteId }) }, nowMs),
      toMs: nowMs + 1,
    }
    const seen = await selectNames(events, held, namesMax)
    const spellings = seen
      .filter((one) => one.name === name || toSnakeCase(one.sent_name) === name)
      .map((one) => one.sent_name)
    const names = [...new Set(spellings)].slice(0, spellingsMax)
    return names.length === 0 ? [] : [{ ...held, names }]
  }
}

function count(done: Released, judged: readonly Revalidated[], passed: number): void {
  done.matched += judged.length
  done.released += passed
  done.stillQuarantined += judged.length - passed
  done.results.push(...judged.slice(0, resultsMax - done.results.length))
}

/** Oldest first. Keys are fetched ahead, and what was sent only for one batch at a time. */
async function* batches(
  events: Events,
  selection: Selection,
): AsyncGenerator<{ rows: QuarantinedRow[]; workspaceId: string }> {
  for (const query of selection) {
    let after: Place | null = null
    do {
      const keys: Place[] = await selectOldest(events, query, after, keysPerRound)
      for (const part of parts(keys, eventsPerRead)) {
        const [first, last] = [part[0], part.at(-1)]
        if (first === undefined || last === undefined) continue
        const rows = await selectBetween(events, query, first, last)
        for (const some of parts(rows, eventsPerAppend)) yield { rows: some, workspaceId: query.workspaceId }
      }
      after = keys.length < keysPerRound ? null : (keys.at(-1) ?? null)
    } while (after !== null)
  }
}

function* parts<T>(list: readonly T[], length: number): Generator<T[]> {
  for (let at = 0; at < list.length; at += length) yield list.slice(at, at + length)
}

function storeIsBehind(): Problem {
  return new Problem('unavailable', {
    detail: 'The events store is behind, so the content of the quarantine is uncertain. Nothing was decided.',
    headers: { 'retry-after': '5' },
  })
}

function stoppedMidway(released: number, cause: unknown): Problem {
  return new Problem('unavailable', {
    detail: `${released} events were released, then there was no space for more. Repeat the call for the rest.`,
    internal: 'a release stopped midway',
    cause,
    headers: { 'retry-after': '5' },
  })
}
