import { type CallInput, evidenceLevels } from '@assay/contract'
import type { Call } from '../api/client.ts'
import type { RouteName, RouteOf } from '../api/routes.ts'
import type { Place } from '../shell/place.ts'
import { overviewComparison, rangeQueryOf } from '../shell/range.ts'
import { errorQueryOf } from './errors/window.ts'

/** What a page asks first, and shows most of itself by. */
type MainRead = { name: RouteName; input: object; send: (call: Call) => Promise<unknown> }

const read = <Name extends RouteName>(name: Name, input: CallInput<RouteOf<Name>>): MainRead => ({
  name,
  input,
  send: (call) => call(name, input),
})

/** Of an address alone, so that it can be asked before the page is there; the page asks in the same words. */
type Asked = Pick<Place, 'siteId' | 'parameters'>

export function overviewAsked({ siteId, parameters }: Asked) {
  const compare = overviewComparison(parameters)
  return { query: { ...rangeQueryOf(siteId, parameters), ...(compare === 'year' && { compare }) } }
}

export function funnelsAsked({ siteId, parameters }: Asked) {
  const includeMuted = parameters.get('muted') === 'true'
  return { query: { ...rangeQueryOf(siteId, parameters), includeMuted } }
}

/** As many places as one can take in; the rest is reached from them. */
const nodesShown = 30

export function flowAsked({ siteId, parameters }: Asked) {
  const around = parameters.get('node')
  const query = { ...rangeQueryOf(siteId, parameters), nodes: nodesShown }
  return { query: { ...query, ...(around !== null && { around }) } }
}

export function errorsAsked(asked: Asked) {
  const evidence = evidenceLevels.find((level) => level === asked.parameters.get('evidence'))
  return { query: { ...errorQueryOf(asked), ...(evidence !== undefined && { evidence }) } }
}

/** By the path of the page; pages that show little by one answer have none. */
export const mainReads: Readonly<Record<string, (asked: Asked) => MainRead>> = {
  overview: (asked) => read('getOverview', overviewAsked(asked)),
  funnels: (asked) => read('listFunnels', funnelsAsked(asked)),
  flow: (asked) => read('getFlowGraph', flowAsked(asked)),
  errors: (asked) => read('getRevenueImpact', errorsAsked(asked)),
}
