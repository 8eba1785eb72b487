import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { Accounts } from './auth.ts'
import { closeUnendedActs } from '../audit/audit.ts'
import { deleteDueWorkspaces, sweepDeletedWorkspaces } from '../workspaces/deletion.ts'

type Needs = Pick<Platform, 'control' | 'events' | 'now'> &
  Accounts & {
    /** Carries what the log holds into the events store; false when that takes too long. */
    flushLog: () => Promise<boolean>
  }

const saveUseMs = 30_000
/** A key signs for a month; this is how long a node may be behind another that made a new one. */
const rotateKeysMs = 3_600_000
/** Acts of a process that died are rare, and owners do not wait for them. */
const closeActsMs = 10 * 60_000
/** A deletion that was asked for days ago may take a minute more. */
const deleteWorkspacesMs = 60_000
const sweepWorkspacesMs = 3_600_000

export function accountJobs(needs: Needs): Job[] {
  const { control, events, now, keyRing, sessions, accessTokens, signIn, closedWorkspaces, flushLog } = needs
  const deletion = {
    control,
    events,
    now,
    closed: closedWorkspaces,
    flushLog,
    userChanged: sessions.userChanged,
  }
  return [
    [saveUseMs, 'use of keys', () => keyRing.saveUse()],
    [saveUseMs, 'use of sessions', () => sessions.saveUse()],
    [rotateKeysMs, 'signing keys', () => accessTokens.rotate()],
    [rotateKeysMs, 'old sign-ins', () => signIn.forgetOld()],
    [closeActsMs, 'audit log', () => closeUnendedActs(control, now)],
    [deleteWorkspacesMs, 'deletion of workspaces', (onFailure) => deleteDueWorkspaces(deletion, onFailure)],
    [
      sweepWorkspacesMs,
      'sweep of deleted workspaces',
      (onFailure) => sweepDeletedWorkspaces(deletion, onFailure),
    ],
  ]
}
