import type { Module } from '../platform/module.ts'
import type { Platform } from '../platform/platform.ts'
import { type ClosedWorkspaces, createClosedWorkspaces } from './closed-workspaces.ts'
import { workspaceJobs } from './jobs.ts'
import { invitationRoutes } from './members/invitation-routes.ts'
import { memberRoutes } from './members/routes.ts'
import { createMembershipChanges, type MembershipChanges } from './membership-changes.ts'
import { workspaceRoutes } from './routes.ts'

export type WorkspacesModule = Module & { closed: ClosedWorkspaces; membershipChanges: MembershipChanges }

/** Workspaces from the first day to their deletion, their members and invitations. */
export async function createWorkspaces(platform: Platform): Promise<WorkspacesModule> {
  const closed = await createClosedWorkspaces(platform.control)
  const membershipChanges = createMembershipChanges()
  const { workspaceDeleteDays } = platform.config
  const needs = { ...platform, membershipChanges, closedWorkspaces: closed, workspaceDeleteDays }
  return {
    closed,
    membershipChanges,
    routes: (plane) => {
      workspaceRoutes(plane, needs)
      memberRoutes(plane, needs)
      invitationRoutes(plane, needs)
    },
    jobs: ({ flushLog }) => workspaceJobs({ ...needs, flushLog }),
  }
}
