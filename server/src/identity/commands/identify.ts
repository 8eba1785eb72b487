import { type Binding, type Confidence, Problem } from '@assay/contract'
import { rankOf, stepOf } from '../graph/identifier.ts'
import { applyClaims, type Claim, type Linked, orderedEnds, toIdentifierRow } from '../graph/links.ts'
import type { Named } from '../graph/neighbourhood.ts'
import type { LedgerTransaction } from '../ledger/transaction.ts'
import type { People } from '../people.ts'
import { conditionOf } from '../profiles/conditional-traits.ts'
import { setTraits, type TraitChange } from '../profiles/traits.ts'
import { insertIdentifiers, selectHasMerges, selectIdentifiers, selectLinks } from '../store.ts'
import { refusalOf } from './refusals.ts'
import { suppressedAmong } from './resolve.ts'
import type { AliasCall, AliasEnd, IdentifyCall } from './wire.ts'

/** The sender of an identify or alias call. */
type BindingSender = {
  workspaceId: string
  keyId: string
  keyClass: 'public' | 'secret'
  /** A test key: the answer is right, and nothing is stored. */
  storesNothing: boolean
}

/** Links an anonymous id to a person, and stores their traits. */
export async function identifyPerson(
  people: People,
  sender: BindingSender,
  call: IdentifyCall,
): Promise<Binding> {
  const [anchor, ...others] = await nameAll(people, sender, call)
  return bind(people, sender, anchor, others, {
    source: 'identify',
    eventId: call.eventId,
    traits: call.traits,
    setMs: call.setMs,
  })
}

/** The person that an identify call means now, without linking: its event is quarantined, or a repeat. */
export async function identifiedPerson(
  people: People,
  sender: BindingSender,
  call: IdentifyCall,
): Promise<Binding> {
  const [anchor] = await nameAll(people, sender, call)
  const person_id = await people.current(sender.workspaceId, anchor.originalId)
  return { person_id, merged: false, confidence: confidenceBy(sender) }
}

async function nameAll(
  people: People,
  sender: BindingSender,
  { known, anonymous }: IdentifyCall,
): Promise<[Named, ...Named[]]> {
  const identifiers = [...known, ...(anonymous ? [anonymous] : [])]
  await requireUnsuppressed(people, sender, identifiers)
  const named = await people.name(sender.workspaceId, identifiers)
  const [anchor, ...others] = named
  if (anchor === undefined || named.length < distinct(identifiers)) throw noSuchPerson()
  return [anchor, ...others]
}

/** Anyone can read a public key, so its links are never certain. */
function confidenceBy({ keyClass }: BindingSender): Confidence {
  return keyClass === 'public' ? 'likely' : 'certain'
}

/** Merges two identities. */
export async function aliasPerson(people: People, sender: BindingSender, call: AliasCall): Promise<Binding> {
  const from = await typed(people, sender, call.from)
  const { identifier: to } = call.to
  await requireUnsuppressed(people, sender, [from, to])
  const named = await people.name(sender.workspaceId, [to, from])
  if (named.length < distinct([to, from])) throw noSuchPerson()
  const [anchor, ...others] = named.toSorted((left, right) => rankOf(left.type) - rankOf(right.type))
  if (anchor === undefined) throw noSuchPerson()
  const said = { source: 'alias', eventId: call.eventId, traits: {}, setMs: people.now() } as const
  return bind(people, sender, anchor, others, said)
}

/** A plain value that is not a known user id is an anonymous id: that is what senders have before sign-in. */
async function typed(people: People, { workspaceId }: BindingSender, { identifier, isPlain }: AliasEnd) {
  if (!isPlain) return identifier
  const [asUser] = await people.name(workspaceId, [identifier])
  return asUser?.isSeen === true ? identifier : { type: 'anonymous_id', value: identifier.value }
}

function distinct(identifiers: readonly { type: string; value: string }[]): number {
  return new Set(identifiers.map(({ type, value }) => `${type} ${value}`)).size
}

async function requireUnsuppressed(
  people: People,
  { workspaceId }: BindingSender,
  identifiers: readonly { type: string; value: string }[],
): Promise<void> {
  const [suppressed] = await suppressedAmong(people, workspaceId, identifiers)
  if (suppressed === undefined) return
  const message = 'belongs to a person who asked to be forgotten'
  throw new Problem('contract-violation', {
    detail: `${suppressed.type} ${message}.`,
    errors: [{ field: suppressed.type, message, code: 'suppressed' }],
  })
}

function noSuchPerson(): Problem {
  return new Problem('not-found', { detail: 'There is no such person.' })
}

type Statement = {
  source: 'identify' | 'alias'
  eventId: string | null
  traits: Readonly<Record<string, unknown>>
  setMs: number
}

async function bind(
  people: People,
  sender: BindingSender,
  anchor: Named,
  others: readonly Named[],
  statement: Statement,
): Promise<Binding> {
  const { source, eventId, traits, setMs } = statement
  const confidence = confidenceBy(sender)
  const change: TraitChange = { originalId: anchor.originalId, traits, setMs, source }
  const keep = async () => {
    if (!sender.storesNothing) await setTraits(people.control, sender.workspaceId, change, null)
  }
  const known = await alreadyBound(people, sender.workspaceId, anchor, others, change)
  if (known !== null) {
    await keep()
    return { person_id: known, merged: false, confidence }
  }
  const claims = others.map(
    (other): Claim => ({
      anchor,
      other,
      step: stepOf(anchor.type),
      confidence,
      isExplicit: false,
      source,
      actor: sender.keyId,
      reason: null,
      triggeringEventId: eventId,
    }),
  )
  const turn = (transaction: LedgerTransaction) => applyAll(transaction, anchor, claims, change)
  const done = await (sender.storesNothing
    ? people.dryRun(sender.workspaceId, turn)
    : people.take(sender.workspaceId, turn))
  const refusal = done.linked.map(refusalOf).find((problem) => problem !== null)
  if (refusal) throw refusal
  // Outside the lock: locked work shares a transaction, and two writes about one person could deadlock.
  if (!done.isTold) await keep()
  const entryId = done.linked.findLast((one) => one.entry !== null)?.entry?.id
  return {
    person_id: done.personId,
    merged: done.linked.some(({ outcome }) => outcome === 'merged'),
    confidence,
    ...(entryId && { ledger_entry_id: entryId }),
  }
}

/**
 * The usual case: everything is known already, so no lock is needed. If it is known only through an explicit
 * merge, the traits depend on that merge, and the lock is needed to find out.
 */
async function alreadyBound(
  people: People,
  workspaceId: string,
  anchor: Named,
  others: readonly Named[],
  { traits }: TraitChange,
): Promise<string | null> {
  const originalIds = [anchor, ...others].map(({ originalId }) => originalId)
  const rows = await selectIdentifiers(people.control, workspaceId, originalIds)
  const [first] = rows
  if (first === undefined || rows.length < new Set(originalIds).size) return null
  if (rows.some((row) => row.person_id !== first.person_id)) return null
  if (others.length === 0) return first.person_id
  const links = await selectLinks(people.control, workspaceId, [anchor.originalId])
  const isSaid = others.every((other) => {
    const { a, b } = orderedEnds(anchor.originalId, other.originalId)
    return a === b || links.some((link) => !link.is_explicit && link.a === a && link.b === b)
  })
  if (!isSaid) return null
  const mayHang =
    Object.keys(traits).length > 0 && (await selectHasMerges(people.control, workspaceId, anchor.originalId))
  return mayHang ? null : first.person_id
}

async function applyAll(
  transaction: LedgerTransaction,
  anchor: Named,
  claims: readonly Claim[],
  change: TraitChange,
): Promise<{ personId: string; linked: Linked[]; isTold: boolean }> {
  const { sql, workspaceId } = transaction
  const linked = await applyClaims(
    transaction,
    claims.filter(({ other }) => other.originalId !== anchor.originalId),
  )
  for (const one of linked) {
    const refusal = refusalOf(one)
    // That a device is shared is recorded although the call is refused; all else is rolled back.
    if (refusal !== null && one.outcome !== 'shared_device') throw refusal
  }
  await insertIdentifiers(sql, workspaceId, [toIdentifierRow(anchor, change.source)])
  const isTold =
    linked.every((one) => refusalOf(one) === null) &&
    (await setConditionalTraits(transaction, anchor, claims, change))
  const [row] = await selectIdentifiers(sql, workspaceId, [anchor.originalId])
  return { personId: row?.person_id ?? anchor.originalId, linked, isTold }
}

/**
 * Traits that depend on an explicit merge are stored here, under the lock that its reversal has to wait for.
 */
async function setConditionalTraits(
  transaction: LedgerTransaction,
  anchor: Named,
  claims: readonly Claim[],
  change: TraitChange,
): Promise<boolean> {
  if (Object.keys(change.traits).length === 0) return false
  const others = claims.map(({ other }) => other).filter(({ originalId }) => originalId !== anchor.originalId)
  const condition = await conditionOf(transaction, anchor, others)
  if (condition !== null) await setTraits(transaction.sql, transaction.workspaceId, change, condition)
  return condition !== null
}
