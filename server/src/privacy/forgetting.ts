import { randomBytes } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { noteSuppressed } from '../consent/forgetting.ts'
import type { Writer } from '../ingest/writer.ts'
import type { Report } from './archive.ts'
import { signCertificate } from './certificate.ts'
import { dropList, fillList, type ListRow, listEvents, listOf } from './erasing-store.ts'
import { type ForgetStores, type Step, stepsOf, type Whom } from './forget-steps.ts'
import { selectContacts, selectValues } from './forgetting-store.ts'
import { needlesOf, plainCharactersMin } from './mentions.ts'
import type { SigningKey } from './signing.ts'
import type { ForgetResult, ForgetState, RequestRow } from './store.ts'
import { findSubject } from './subject.ts'
import type { KeepState } from './worker.ts'

export type Forgetter = ForgetStores & { writer: Writer; key: SigningKey; now: Clock }

/** What was acknowledged before must be found; the usual load takes a fraction of a second. */
const flushMsMax = 20_000
const saltBytes = 16

/**
 * Takes a person out of everything, one store after the other. How far it is stands in the request, so that whoever has
 * to go on begins with the step that was cut short.
 */
export async function forgetPerson(
  forgetter: Forgetter,
  row: RequestRow,
  report: Report,
  keep: KeepState,
): Promise<{ forget: ForgetResult }> {
  const { events, people, writer } = forgetter
  const mode = row.mode ?? 'erase'
  const state = row.state ?? (await begin(forgetter, row))
  await keep(state)
  await report('suppressing', 0)
  await people.suppress(row.workspace_id, state.bornIds)
  await noteSuppressed(forgetter, row.workspace_id, state.bornIds)
  const whom = await findWhom(forgetter, row, state)
  try {
    const steps = stepsOf(forgetter, mode)
    const [log, ...others] = steps
    let current = log === undefined ? state : await take(log, whom, state, report, keep)
    await report('loading', rowsOf(current))
    if (!(await writer.flush(flushMsMax))) throw new Error('the events store is behind')
    await fillList(events, whom.list, listRows(whom, state))
    await listEvents(events, whom.list, whom.workspaceId)
    for (const step of others) current = await take(step, whom, current, report, keep)
    await report('verifying', rowsOf(current))
    const left = await takeLate(forgetter, whom, steps)
    return { forget: await certify(forgetter, row, whom, steps, current, left) }
  } finally {
    await dropList(events, whom.list)
  }
}

async function begin({ people }: Forgetter, row: RequestRow): Promise<ForgetState> {
  const { bornIds } = await findSubject(people, row.workspace_id, row.subject)
  return { bornIds, salt: randomBytes(saltBytes).toString('hex'), steps: {} }
}

async function findWhom({ control, people }: Forgetter, row: RequestRow, state: ForgetState): Promise<Whom> {
  const { workspace_id: workspaceId, subject } = row
  const known = await selectValues(control, workspaceId, state.bornIds)
  const isKnown = new Set(known.map((one) => one.born_id))
  // Who has no row is known by events only, and by one identifier.
  const births = await Promise.all(
    state.bornIds
      .filter((bornId) => !isKnown.has(bornId))
      .map(async (bornId) => (await people.sightings.birthOf(workspaceId, bornId))?.value),
  )
  const asked = subject.identifiers.map(({ value }) => value)
  const contacts = await selectContacts(control, workspaceId, state.bornIds)
  const found = [...known.map(({ value }) => value), ...births, ...asked, ...contacts]
  const values = [...new Set(found.flatMap((value) => value || []))]
  const mode = row.mode ?? 'erase'
  return { workspaceId, requestId: row.id, mode, bornIds: state.bornIds, values, list: listOf(row.id) }
}

function listRows({ bornIds, values }: Whom, { salt }: ForgetState): ListRow[] {
  return [
    ...bornIds.map((value): ListRow => ({ kind: 'person', value })),
    ...values.map((value): ListRow => ({ kind: 'value', value })),
    ...needlesOf(values)
      .filter((needle) => needle.length >= plainCharactersMin)
      .map((value): ListRow => ({ kind: 'needle', value })),
    { kind: 'salt', value: salt },
  ]
}

function rowsOf({ steps }: ForgetState): number {
  return Object.values(steps).reduce((sum, { rows }) => sum + rows, 0)
}

/** What there was is counted before it goes, and only once: a second try would find less. */
async function take(
  step: Step,
  whom: Whom,
  state: ForgetState,
  report: Report,
  keep: KeepState,
): Promise<ForgetState> {
  const before = state.steps[step.store]
  if (before?.isDone === true) return state
  await report(step.store, rowsOf(state))
  const rows = before?.rows ?? (await step.count(whom))
  const withStep = (isDone: boolean) => ({
    ...state,
    steps: { ...state.steps, [step.store]: { rows, isDone } },
  })
  await keep(withStep(false))
  if (rows > 0 || alwaysRun.includes(step.store)) await step.run(whom)
  const done = withStep(true)
  await keep(done)
  return done
}

/** These see to more than the rows that they count. */
const alwaysRun = ['log', 'identity', 'subject_requests', 'files']

/** What was under way when the person was suppressed shows up a moment later, if at all. Answers what is left. */
async function takeLate(
  { events }: Forgetter,
  whom: Whom,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, number>> {
  await listEvents(events, whom.list, whom.workspaceId)
  const left = new Map<string, number>()
  for (const step of steps) {
    if ((await step.count(whom)) === 0) continue
    await step.run(whom)
    left.set(step.store, await step.count(whom))
  }
  if (left.size > 0) await steps.at(-1)?.run(whom)
  return left
}

/** Says under the installation's key what was found before, and when it was looked for again. */
async function certify(
  { key, now }: Forgetter,
  row: RequestRow,
  whom: Whom,
  steps: readonly Step[],
  state: ForgetState,
  left: ReadonlyMap<string, number>,
): Promise<ForgetResult> {
  const stores = steps.map(({ store, method }) => {
    const rows_left = left.get(store) ?? 0
    if (rows_left > 0) throw new Error(`${rows_left} rows are left in ${store}`)
    return { store, method, rows: state.steps[store]?.rows ?? 0, rows_left }
  })
  const completedAt = new Date(now())
  const certificate = await signCertificate(key, {
    request_id: row.id,
    workspace_id: row.workspace_id,
    subject_request_id: row.subject_request_id,
    mode: whom.mode,
    regime: row.regime,
    received_at: row.received_at.toISOString(),
    due_at: row.due_at.toISOString(),
    completed_at: completedAt.toISOString(),
    sla_met: completedAt <= row.due_at,
    identifiers_suppressed: whom.bornIds.length,
    stores,
  })
  const counts = Object.fromEntries(stores.map(({ store, rows }) => [store, rows]))
  return { mode: whom.mode, counts, certificate }
}
