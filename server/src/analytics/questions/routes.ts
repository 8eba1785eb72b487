import {
  getQuery,
  isRecord,
  listDimensions,
  listValues,
  Problem,
  runQuery,
  suggestedTraitsMax,
} from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { namedAudiences } from '../../audiences/filter.ts'
import { missingScopes } from '../../http/access/principal.ts'
import { sendCsv, wantsCsv } from '../../http/csv.ts'
import { wellFormed } from '../../http/input/storable-body.ts'
import { type Plane, serve } from '../../http/serve.ts'
import { traitNames } from '../../identity/profiles/trait-sets.ts'
import type { Registry } from '../../registry/registry.ts'
import { unknownSite } from '../../sites/sites.ts'
import { readPeriod } from '../period.ts'
import { openFilter, type ReadingDeps } from '../report-query.ts'
import { boundedRun } from './bounds.ts'
import { readAnswer } from './question-answer.ts'
import { requireValued, suggest, suggestValues, type ValuedDimension } from './suggestions.ts'
import { answerTable } from './table.ts'

type Needs = ReadingDeps & { registry: Registry }
type Reply = { request: FastifyRequest; reply: FastifyReply; format: 'json' | 'csv' | undefined }

/** Seconds in which someone who types still waits. */
const suggestionSecondsMax = 5

export function questionRoutes(plane: Plane, deps: Needs): void {
  const ask = async (workspaceId: string, asked: unknown, { request, reply, format }: Reply) => {
    const answer = await readAnswer(deps, workspaceId, asked)
    return wantsCsv(request, format) ? sendCsv(reply, 'query', answerTable(answer)) : answer
  }
  serve(plane, runQuery, ({ body, caller, request, reply }) => {
    const { format, ...asked } = body
    return ask(caller.workspaceId, asked, { request, reply, format })
  })
  serve(plane, getQuery, ({ query, caller: { workspaceId, siteId }, request, reply }) => {
    const asked = parsed(query.q)
    // A key that is bound to a site knows no other, and need not name its own.
    const wanted = siteId === null || !isRecord(asked) ? asked : { siteId, ...asked }
    if (siteId !== null && isRecord(wanted) && wanted.siteId !== siteId) throw unknownSite()
    return ask(workspaceId, wanted, { request, reply, format: query.format })
  })
  serveSuggestions(plane, deps)
}

function parsed(text: string): unknown {
  try {
    return wellFormed(JSON.parse(text))
  } catch (cause) {
    const errors = [{ field: 'q', message: 'must be JSON: {"siteId": "site_…", "metrics": ["visitors"]}' }]
    throw new Problem('invalid-parameter', { detail: 'q is not JSON.', errors, cause })
  }
}

function serveSuggestions(plane: Plane, deps: Needs): void {
  const open = async (
    workspaceId: string,
    query: Parameters<typeof readPeriod>[0] & { siteId: string; includeBots?: boolean },
    dimensions: readonly ValuedDimension[] = [],
  ) => {
    const site = await deps.requireSite(workspaceId, query.siteId)
    const { timezone, fromMs, toMs } = readPeriod(query, site.timezone, deps.now())
    const includeBots = query.includeBots ?? false
    const asked = { conditions: [], dimensions, includeBots, timezone }
    const filter = await openFilter(deps, workspaceId, site.id, asked)
    return { filter, range: { fromMs, toMs }, run: boundedRun(deps.events, deps.now, suggestionSecondsMax) }
  }
  serve(plane, listDimensions, async ({ query, caller: { workspaceId, scopes } }) => {
    const { filter, range, run } = await open(workspaceId, query)
    const { contracts } = await deps.registry.knowledge(workspaceId, filter.siteId)
    const goals = await deps.siteGoals.of(workspaceId, filter.siteId)
    const mayReadPeople = missingScopes(scopes, ['identity:read']).length === 0
    const traits = mayReadPeople ? await traitNames(deps.control, workspaceId, suggestedTraitsMax) : []
    const audiences = await namedAudiences(deps, workspaceId, filter.siteId)
    return suggest(run, filter, range, { contracts, goals, traits, audiences })
  })
  serve(plane, listValues, async ({ query, caller: { workspaceId } }) => {
    const dimension = requireValued(query.dimension)
    const { filter, range, run } = await open(workspaceId, query, [dimension])
    return suggestValues(run, filter, range, dimension, query)
  })
}
