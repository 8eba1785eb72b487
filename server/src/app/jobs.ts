import { closeUnendedActs } from '../accounts/audit/audit.ts'
import { deleteDueWorkspaces, sweepDeletedWorkspaces } from '../accounts/workspaces/deletion.ts'
import { tellMilestones } from '../analytics/site-score/milestones.ts'
import { refreshDue } from '../audiences/audiences.ts'
import { checkDueSites } from '../drift/drift.ts'
import { forgetOldHeld } from '../ingest/quarantine/quarantine.ts'
import { type Chore, startRepeating } from '../platform/scheduler.ts'
import { removalNowMs, removeOldEvents } from '../privacy/retention/event-retention.ts'
import type { Deps } from './deps.ts'

const saveUseMs = 30_000
/** A key signs for a month; this is how long a node may be behind another that made a new one. */
const rotateKeysMs = 3_600_000
/** Orders that wait for their subscription are counted some minutes late anyway. */
const tendWebhooksMs = 60_000
/** Whole months are let go of, so there is no hurry. */
const forgetHeldMs = 6 * 3_600_000
/** They are not shown any more in the meantime. */
const forgetReplaysMs = 3_600_000
/** Only what the events store could not be told at once is left for then. */
const followMs = 15_000
/** Little against the 60 seconds that a request may take, and one cheap question. */
const workOnRequestsMs = 500
/** Events that go out follow within a second of being stored; without a destination it asks nothing. */
const sendMs = 500
/** Asks which audiences are due; each says itself how often that is. */
const refreshAudiencesMs = 60_000
/** A site is looked at every hour; this is how soon it is its turn. */
const checkDriftMs = 10 * 60_000
/** As long as a kept answer counts as fresh. */
const refreshKeptMs = 60_000
/** Acts of a process that died are rare, and owners do not wait for them. */
const closeActsMs = 10 * 60_000
/** A deletion that was asked for days ago may take a minute more. */
const deleteWorkspacesMs = 60_000
const sweepWorkspacesMs = 3_600_000
const sweepForgottenMs = 3_600_000
/** Whole days go, at the midnight of the site; an hour is how late that may be noticed. */
const removeOldEventsMs = 3_600_000
/** Somebody waits at a terminal; a look costs the names of an empty directory. */
const lookForBackupsMs = 500
/** Each workspace is looked at once an hour; this asks whether one is due. */
const watchHealthMs = 5 * 60_000
/** One statement, and none where nobody wants to be told. */
const watchQuarantineMs = 60_000
/** Each site is counted once an hour, and only where somebody wants to be told. */
const tellMilestonesMs = 10 * 60_000
/** What may come in addition to a full queue until then is what a minute brings. */
const boundQueuesMs = 60_000
/** How soon a node takes over a computation that another one has left. */
const tendAttributionMs = 15_000

/** Room for what is in the file comes by decisions of people. */
const refileLettersMs = 10 * 60_000
/** Another node may have set lines aside, or somebody decided there. */
const countLettersMs = 30_000

async function countLetters({ deadLetters, failures }: Deps): Promise<void> {
  if ((await deadLetters.count()) === 0) failures.recovered('dead letters')
}

/** What is done now and then, beside all requests. */
export function startChores(
  deps: Deps,
  drainMsMax: number,
  tell: (line: string) => void,
): () => Promise<void> {
  const { control, keyRing, sessions, accessTokens, signIn, events, people, webhooks, privacy, writer, now } =
    deps
  const surelyMs = () => removalNowMs(deps)
  const deletion = {
    control,
    events,
    now,
    closed: deps.closedWorkspaces,
    flushLog: () => writer.flush(drainMsMax),
    userChanged: sessions.userChanged,
  }
  // Each is a lane of its own, so that a long request holds up no short one.
  const workOnRequests: Chore = [workOnRequestsMs, 'data-subject requests', () => privacy.work()]
  const chores: readonly Chore[] = [
    [saveUseMs, 'use of keys', () => keyRing.saveUse()],
    [saveUseMs, 'use of sessions', () => sessions.saveUse()],
    [rotateKeysMs, 'signing keys', () => accessTokens.rotate()],
    [rotateKeysMs, 'old sign-ins', () => signIn.forgetOld()],
    [forgetHeldMs, 'old held events', async () => forgetOldHeld(events, await surelyMs())],
    [sendMs, 'deliveries', (onFailure) => deps.outgoing.sending.work(onFailure)],
    [forgetHeldMs, 'old deliveries', () => deps.outgoing.forgetOld()],
    [closeActsMs, 'audit log', () => closeUnendedActs(control, now)],
    [tendWebhooksMs, 'waiting webhooks', (onFailure) => webhooks.receiving.tend(onFailure)],
    ...Array.from({ length: privacy.lanes }, () => workOnRequests),
    [workOnRequestsMs, 'status callbacks', () => privacy.tellChanges()],
    [forgetReplaysMs, 'old replays', async () => deps.replays.forgetOld(await surelyMs())],
    [forgetHeldMs, 'old exports of people', (onFailure) => privacy.removeOldArchives(onFailure)],
    [forgetHeldMs, 'old exports of workspaces', (onFailure) => deps.exports.removeOld(onFailure)],
    [forgetHeldMs, 'old imports', (onFailure) => deps.imports.removeOld(onFailure)],
    [lookForBackupsMs, 'backups', () => deps.backingUp.look()],
    [sweepForgottenMs, 'sweep of forgotten people', (onFailure) => privacy.sweepForgotten(onFailure)],
    [removeOldEventsMs, 'event retention', (onFailure) => removeOldEvents(deps, tell, onFailure)],
    [followMs, 'identity mapping', (onFailure) => people.mapping.followAll(onFailure)],
    [refreshKeptMs, 'kept answers', () => deps.kept.refresh()],
    [refreshAudiencesMs, 'audiences', (onFailure) => refreshDue(deps, onFailure)],
    [checkDriftMs, 'drift', (onFailure) => checkDueSites(deps, onFailure)],
    [tendAttributionMs, 'attribution', () => deps.attribution.jobs.tend()],
    [watchHealthMs, 'health of events', (onFailure) => deps.health.watch.look(onFailure)],
    [watchQuarantineMs, 'quarantine share', (onFailure) => deps.health.watchQuarantine(onFailure)],
    [tellMilestonesMs, 'milestones', (onFailure) => tellMilestones(deps, onFailure)],
    [boundQueuesMs, 'queues of destinations', (onFailure) => deps.outgoing.boundQueues(onFailure)],
    [deleteWorkspacesMs, 'deletion of workspaces', (onFailure) => deleteDueWorkspaces(deletion, onFailure)],
    [
      sweepWorkspacesMs,
      'sweep of deleted workspaces',
      (onFailure) => sweepDeletedWorkspaces(deletion, onFailure),
    ],
    [refileLettersMs, 'dead-letter file', () => deps.deadLetters.refile()],
    [forgetHeldMs, 'old dead letters', () => deps.deadLetters.forgetOld()],
    [countLettersMs, 'count of dead letters', () => countLetters(deps)],
  ]
  return startRepeating(chores, deps.failures)
}
