import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  type BackfillPreview,
  type CompiledMapping,
  compileMapping,
  type GatePolicy,
  judgeReading,
  type MappingRule,
  type Verdict,
} from '@assay/contract'
import { amountMax, moneyOf, orderOf } from '../judged-columns.ts'
import type { OverlayRow, StoredRow } from './overlay-store.ts'
import type { BackfillCounts, BackfillRow } from './store.ts'
import { keptProperties, toRawEvent } from './stored-event.ts'

/** Everything that the verdict on a stored event depends on besides the event. */
type BackfillGate = {
  mapping: CompiledMapping
  moves: readonly Move[]
  policy: GatePolicy
  /** Moves of the rules that gave stored events their names, by rule. */
  earlierMoves: ReadonlyMap<string, readonly Move[]>
}
type Move = { from: string; to: string }

/** The rule of a back-fill as the only one, with the rank of a custom rule: the caller wants it applied. */
export function openGate(
  { mapping_id, source, target, property_map }: BackfillRow,
  siteRules: readonly MappingRule[],
  policy: GatePolicy,
): BackfillGate {
  const rule = { id: mapping_id, source, target, propertyMap: property_map, origin: 'custom' } as const
  return {
    mapping: compileMapping([rule]),
    moves: movesOf(rule),
    policy,
    earlierMoves: new Map(siteRules.map((each) => [each.id, movesOf(each)])),
  }
}

function movesOf({ propertyMap = {} }: Pick<MappingRule, 'propertyMap'>): Move[] {
  return Object.entries(propertyMap).map(([from, to]) => ({ from, to }))
}

type JudgedEvent = { stored: StoredRow; verdict: Verdict }

/** Some milliseconds of judging; then others get their turn. */
const eventsPerTurn = 500

export async function judgeStored(rows: readonly StoredRow[], gate: BackfillGate): Promise<JudgedEvent[]> {
  const judged: JudgedEvent[] = []
  for (const stored of rows) {
    if (judged.length % eventsPerTurn === eventsPerTurn - 1) await nextTurn()
    judged.push({ stored, verdict: judgeOne(stored, gate) })
  }
  return judged
}

/** By the very gate that judged it when it came. The session that it was placed in is taken as sent. */
function judgeOne(stored: StoredRow, { mapping, moves, policy, earlierMoves }: BackfillGate): Verdict {
  const properties = keptProperties(stored)
  putBack(properties, earlierMoves.get(stored.mapping_rule) ?? [], moves)
  const event = toRawEvent(stored, properties, stored.session_id || undefined)
  const receivedAt = Number(stored.received_ms)
  const known = { contracts: new Map(), mapping, ...policy, keyClass: 'secret', receivedAt } as const
  return judgeReading({ kind: 'event', event }, known)
}

/** What another rule moved is put back where this one looks for it. */
function putBack(
  properties: Record<string, unknown>,
  earlier: readonly Move[],
  wanted: readonly Move[],
): void {
  for (const { from, to } of wanted) {
    if (Object.hasOwn(properties, from)) continue
    const moved = earlier.find(
      (move) => move.from === from && move.to !== to && Object.hasOwn(properties, move.to),
    )
    if (moved === undefined) continue
    properties[from] = properties[moved.to]
    delete properties[moved.to]
  }
}

export function passes({ verdict }: JudgedEvent): boolean {
  return verdict.outcome === 'accept' || verdict.outcome === 'warn'
}

/** What reads will find in place of the stored event. */
export function toOverlayRow(backfill: BackfillRow, { stored, verdict }: JudgedEvent): OverlayRow {
  const { amount, currency } = moneyOf(verdict)
  return {
    backfill_id: backfill.id,
    workspace_id: backfill.workspace_id,
    site_id: backfill.site_id,
    ts: timeText(stored.ms),
    event_id: stored.event_id,
    received_at: timeText(stored.received_ms),
    person_id: stored.person_id,
    mapping_rule: verdict.ruleId ?? '',
    name: verdict.name,
    contract_version: verdict.contractVersion ?? '',
    outcome: verdict.outcome,
    issues: verdict.issues.length === 0 ? '' : JSON.stringify(verdict.issues),
    amount: amount === null || Math.abs(amount) >= amountMax ? null : amount.toFixed(4),
    currency,
    // An order reported by a bot is not claimed.
    order_id: stored.is_bot === 1 ? '' : orderOf(verdict),
    properties: JSON.stringify(verdict.properties),
    set_aside: verdict.setAside === null ? '' : JSON.stringify(verdict.setAside),
    stored_name: stored.name,
    stored_order_id: stored.order_id,
    stored_counted: stored.counted,
    is_public: stored.is_public,
  }
}

function timeText(ms: string): string {
  return new Date(Number(ms)).toISOString().replace('T', ' ').replace('Z', '')
}

export function addCounts(before: BackfillCounts, judged: readonly JudgedEvent[]): BackfillCounts {
  const passed = judged.filter(passes)
  const codes = { ...before.codes }
  for (const { verdict } of judged.filter((one) => !passes(one))) {
    for (const code of new Set(verdict.issues.map((issue) => issue.code)))
      codes[code] = (codes[code] ?? 0) + 1
  }
  return {
    judged: before.judged + judged.length,
    events: before.events + passed.length,
    renamed: before.renamed + passed.filter(({ stored, verdict }) => stored.name !== verdict.name).length,
    refused: before.refused + judged.length - passed.length,
    codes,
  }
}

export function toSample({ stored, verdict }: JudgedEvent): BackfillPreview['samples'][number] {
  return {
    eventId: stored.event_id,
    name: stored.name,
    outcome: verdict.outcome,
    ...moneyOf(verdict),
    orderId: orderOf(verdict),
    issues: [...verdict.issues],
  }
}
