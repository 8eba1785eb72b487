import type { Condition } from '@assay/contract'
import type { SqlCondition } from '../../store/event-base.ts'
import type { Events } from '../../store/events.ts'

type MatchScope = {
  workspaceId: string
  /** Null: of all sites, of which only traits can be asked. */
  siteId: string | null
  /** An event, or the person, has to fit all of them. */
  conditions: readonly Condition[]
  fromMs: number
  toMs: number
}

/** A condition on the current `person_key`, and the store that runs a statement with it within bounds. */
export type Matching = { condition: SqlCondition; events: Pick<Events, 'query'> }

/** Who fits filters. What events, goals and audiences mean is known to modules above this one. */
export type MatchPeople = (scope: MatchScope) => Promise<Matching>
