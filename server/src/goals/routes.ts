import { createGoal, deleteGoal, getGoal, listGoals, updateGoal } from '@assay/contract'
import { actorIdOf } from '../http/access/principal.ts'
import { type Plane, serve } from '../http/serve.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import { pageDefault, pageOf } from '../platform/page.ts'
import type { RequireSite } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { addGoal, changeGoal, removeGoal, requireGoal, toGoal } from './goals.ts'
import type { SiteGoals } from './site-goals.ts'
import { selectGoals } from './store.ts'

type Needs = { control: Control; now: Clock; newId: NewId; requireSite: RequireSite; siteGoals: SiteGoals }

export function goalRoutes(plane: Plane, deps: Needs): void {
  const { control, requireSite, siteGoals } = deps

  serve(plane, listGoals, async ({ query, caller: { workspaceId } }) => {
    const { siteId = null, cursor = '', limit = pageDefault } = query
    if (siteId !== null) await requireSite(workspaceId, siteId)
    const rows = await selectGoals(control, workspaceId, siteId, cursor, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return { data: page.map(toGoal), nextCursor: next }
  })

  serve(plane, createGoal, async ({ body, caller }) => {
    await requireSite(caller.workspaceId, body.siteId)
    const goal = await addGoal(deps, caller.workspaceId, { ...body, owner: actorIdOf(caller) })
    await siteGoals.changed(caller.workspaceId)
    return goal
  })

  serve(plane, getGoal, async ({ params, caller }) =>
    toGoal(await requireGoal(control, caller.workspaceId, params.id)),
  )

  serve(plane, updateGoal, async ({ params, body, caller: { workspaceId } }) => {
    const goal = await changeGoal(deps, workspaceId, params.id, body)
    await siteGoals.changed(workspaceId)
    return goal
  })

  serve(plane, deleteGoal, async ({ params, caller: { workspaceId } }) => {
    await removeGoal(control, workspaceId, params.id)
    await siteGoals.changed(workspaceId)
    return undefined
  })
}
