import { closeUnendedActs } from './accounts/audit.ts'
import { deleteDueWorkspaces, sweepDeletedWorkspaces } from './accounts/workspace-deletion.ts'
import { tellMilestones } from './analytics/milestones.ts'
import { refreshDue } from './audiences/audiences.ts'
import { type Chore, startRepeating } from './chores.ts'
import type { Deps } from './deps.ts'
import { checkDueSites } from './drift/drift.ts'
import { forgetOldHeld } from './ingest/quarantine.ts'
import { removalNowMs, removeOldEvents } from './privacy/event-retention.ts'

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
  const chores: readonly Chore[] = [
    [saveUseMs, 'The use of keys could not be written down', () => keyRing.saveUse()],
    [saveUseMs, 'The use of sessions could not be written down', () => sessions.saveUse()],
    [rotateKeysMs, 'Signing keys could not be looked after', () => accessTokens.rotate()],
    [rotateKeysMs, 'Old sign-ins could not be let go of', () => signIn.forgetOld()],
    [
      forgetHeldMs,
      'Old held events could not be let go of',
      async () => forgetOldHeld(events, await surelyMs()),
    ],
    [sendMs, 'What goes out could not be looked up', () => deps.outgoing.sending.work()],
    [forgetHeldMs, 'Old deliveries could not be let go of', () => deps.outgoing.forgetOld()],
    [closeActsMs, 'Unended acts could not be written down', () => closeUnendedActs(control, now)],
    [tendWebhooksMs, 'Waiting webhooks could not be counted', () => webhooks.receiving.tend()],
    [workOnRequestsMs, 'Data-subject requests could not be looked up', () => privacy.work()],
    [workOnRequestsMs, 'Status could not be told', () => privacy.tellChanges()],
    [
      forgetReplaysMs,
      'Old replays could not be let go of',
      async () => deps.replays.forgetOld(await surelyMs()),
    ],
    [forgetHeldMs, 'Old exports could not be let go of', () => privacy.removeOldArchives()],
    [forgetHeldMs, 'Old exports of workspaces could not be let go of', () => deps.exports.removeOld()],
    [forgetHeldMs, 'Old imports could not be let go of', () => deps.imports.removeOld()],
    [lookForBackupsMs, 'A backup could not be made', () => deps.backingUp.look()],
    [sweepForgottenMs, 'Forgotten people could not be swept', () => privacy.sweepForgotten()],
    [removeOldEventsMs, 'Old events could not be removed', () => removeOldEvents(deps, tell)],
    [followMs, 'Who is who could not be looked up', () => people.mapping.followAll()],
    [refreshKeptMs, 'Kept answers could not be made anew', () => deps.kept.refresh()],
    [refreshAudiencesMs, 'Audiences could not be counted', () => refreshDue(deps)],
    [checkDriftMs, 'Elements could not be looked at', () => checkDueSites(deps)],
    [tendAttributionMs, 'Attribution could not go on', () => deps.attribution.jobs.tend()],
    [watchHealthMs, 'Events could not be watched', () => deps.health.watch.look()],
    [watchQuarantineMs, 'Held events could not be watched', () => deps.health.watchQuarantine()],
    [tellMilestonesMs, 'Milestones could not be counted', () => tellMilestones(deps)],
    [boundQueuesMs, 'Queues could not be bounded', () => deps.outgoing.boundQueues()],
    [deleteWorkspacesMs, 'A workspace could not be deleted', () => deleteDueWorkspaces(deletion)],
    [sweepWorkspacesMs, 'Deleted workspaces could not be swept', () => sweepDeletedWorkspaces(deletion)],
  ]
  return startRepeating(chores, tell)
}
