import { answersOf, type RouteShape, routes } from '@assay/contract'
import { runs } from '../runs.ts'
import { controls, type HostileValue, hostileKeys, largeValues, smallValues } from './corpus.ts'
import type { Example } from './example.ts'
import { expensiveRoutes } from './expensive-routes.ts'
import { type HostileRequest, type Place, placesOf, plainRequest, withQuery } from './request.ts'
import { type WholeBody, wholeBodies } from './whole-bodies.ts'

type Examples = Readonly<Record<string, readonly Example[]>>

/** How many of the corpus go into one place; with a factor, more of them where strangers reach it. */
const valuesOf = { data: runs(1), control: 1 }
/** A delivery of each of the vendors has hundreds of fields, and some routes start long work. */
const valuesOfExpensive = 1
/** Each run takes other values. */
const firstTurn = Number(process.env.ASSAY_TEST_SEED ?? 0) % 1_000
/** Of what is wrong with a whole body. */
const bodiesOf = { data: 25, control: 3 }
/**
 * Fields that identify people, which are looked up in many stores: each takes a part of the whole corpus, another one
 * in each run, and of the fields of a route two take each of its texts.
 */
const identifiers = /^body\.(?:user_id|anonymous_id|previous_id|traits\.email|events\.0\.visitorId)$/
const identifierRoutes = new Set(['track', 'identify', 'siteIngest', 'recordReplay'])

/** How many places took names of members, values, texts about people, and large values. */
type Turns = { keys: number; values: number; identifiers: number; large: number }

/**
 * Every field of every route with some of the corpus, in turn: each place takes the values after those of the place
 * before it, so that together they use all of them.
 */
export function* fieldCases(examples: Examples): Generator<HostileRequest> {
  const turns = { keys: firstTurn, values: firstTurn, identifiers: firstTurn, large: firstTurn }
  for (const route of routes) {
    const all = (examples[route.id] ?? []).map((example) => ({ example, places: placesOf(route, example) }))
    const places = all.flatMap((each) => each.places)
    const large = new Set(route.access === 'send' ? placesOfLarge(places) : [])
    const parts = Math.ceil(places.filter((place) => isIdentifier(route, place)).length / 2)
    for (const { example, places } of all) {
      const shared: [name: string, value: HostileValue][] = []
      for (const place of places) {
        for (const value of valuesFor(route, place, turns, { isLarge: large.has(place), parts })) {
          if (isFilter(route, place)) shared.push([place.label.slice(1), value])
          else yield place.fill(value)
        }
      }
      if (shared.length > 0) yield filteredBy(route, example, shared)
    }
  }
}

/**
 * Filters of a report that take any text. Each of them would have the whole report computed, so all of an example stand
 * in one request, and each alone only where that one is not answered as the example is.
 */
const filters = new Set(['?path', '?device', '?source', '?event'])
const isFilter = ({ fresh }: RouteShape, { label }: Place) => fresh !== undefined && filters.has(label)

function filteredBy(
  route: RouteShape,
  example: Example,
  values: readonly (readonly [name: string, value: HostileValue])[],
): HostileRequest {
  const requests = values.map((value) => withQuery(route, example, [value]))
  const unless = [example.answers ?? answersOf(route).map(({ status }) => status)].flat()
  return { ...withQuery(route, example, values), apart: { unless, requests } }
}

const isIdentifier = (route: RouteShape, { label, isKey }: Place) =>
  !isKey && identifierRoutes.has(route.id) && identifiers.test(label)

/**
 * A large value takes as long as a hundred others: a route meets each of them in every run, and each place in one of
 * some runs, the next place in the next run.
 */
function placesOfLarge(places: readonly Place[]): Place[] {
  const taking = places.filter(({ isKey }) => !isKey)
  const every = Math.max(1, Math.floor(taking.length / runs(largeValues.length)))
  return taking.filter((_, at) => (at + firstTurn) % every === 0)
}

/** Whether a place takes a large value, and among how many places of its route texts about people are shared. */
type Share = { isLarge: boolean; parts: number }

function valuesFor(route: RouteShape, place: Place, turns: Turns, share: Share): HostileValue[] {
  const isExpensive = route.access === 'vendor' || expensiveRoutes.has(route.id)
  const count = isExpensive ? valuesOfExpensive : valuesOf[route.plane]
  if (place.isKey) return slice(hostileKeys, turns.keys++, count)
  const turn = turns.values++
  const some = isIdentifier(route, place)
    ? partOf([...smallValues, ...controls], turns.identifiers++, share.parts)
    : slice(smallValues, turn, count)
  return share.isLarge ? [...some, ...slice(largeValues, turns.large++, 1)] : some
}

/** One of several parts of about the same size, which together are all. */
const partOf = <Value>(values: readonly Value[], part: number, of: number): Value[] =>
  values.filter((_, at) => (at + part) % of === 0)

/** Every route that takes a body, with one that is wrong as a whole. */
export function* bodyCases(examples: Examples): Generator<HostileRequest> {
  let turn = 0
  for (const route of routes) {
    const example = (examples[route.id] ?? []).find(({ body }) => body !== undefined)
    if (example === undefined) continue
    const plain = plainRequest(route, example)
    const bodies = slice(wholeBodies(JSON.stringify(example.body)), turn++, bodiesOf[route.plane])
    for (const { name, bytes, headers } of bodies satisfies WholeBody[]) {
      yield { ...plain, body: bytes, headers: { ...plain.headers, ...headers }, label: name }
    }
  }
}

/** Some of a list from a place on, and from its beginning again. */
function slice<Value>(values: readonly Value[], turn: number, count: number): Value[] {
  const start = (turn * count) % values.length
  return [...values.slice(start), ...values.slice(0, start)].slice(0, count)
}
