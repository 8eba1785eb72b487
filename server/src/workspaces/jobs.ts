import type { Platform } from '../platform/platform.ts'
import type { Job } from '../platform/scheduler.ts'
import type { ClosedWorkspaces } from './closed-workspaces.ts'
import { deleteDueWorkspaces, sweepDeletedWorkspaces } from './deletion.ts'
import type { MembershipChanges } from './membership-changes.ts'

type Needs = Pick<Platform, 'control' | 'events' | 'now'> & {
  closedWorkspaces: ClosedWorkspaces
  membershipChanges: MembershipChanges
  /** Carries what the log holds into the events store; false when that takes too long. */
  flushLog: () => Promise<boolean>
}

/** A deletion that was asked for days ago may take a minute more. */
const deleteWorkspacesMs = 60_000
const sweepWorkspacesMs = 3_600_000

export function workspaceJobs(needs: Needs): Job[] {
  const { control, events, now, closedWorkspaces: closed, membershipChanges, flushLog } = needs
  const deletion = { control, events, now, closed, flushLog, userChanged: membershipChanges.changed }
  return [
    [deleteWorkspacesMs, 'deletion of workspaces', (onFailure) => deleteDueWorkspaces(deletion, onFailure)],
    [
      sweepWorkspacesMs,
      'sweep of deleted workspaces',
      (onFailure) => sweepDeletedWorkspaces(deletion, onFailure),
    ],
  ]
}
