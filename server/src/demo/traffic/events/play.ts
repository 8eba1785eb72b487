import { redesign } from '../elements.ts'
import type { ErrorModel, FunnelModel, SiteModel, StepModel } from '../model.ts'
import { at, logNormal, pick, repeats, weighted } from '../random.ts'
import { siteTally } from '../tally.ts'
import { placeOrder, type Refund, signUp, subscribe } from './orders.ts'
import type { Scribe } from './scribe.ts'

/** What a session left behind that matters to later ones. */
type SessionEnd = { readonly becameKnown: boolean; readonly refund: Refund | null }

const pagePickers = new Map<SiteModel, ReturnType<typeof weighted<SiteModel['pages'][number]>>>()

function pagePicker(site: SiteModel) {
  const known = pagePickers.get(site)
  if (known !== undefined) return known
  const made = weighted(site.pages, (page) => page.weight)
  pagePickers.set(site, made)
  return made
}

/** Share of page loads that report their web vitals: SDKs sample them. */
const vitalsShare = 0.08

export function playBot(scribe: Scribe): void {
  const { site } = scribe.visit
  const pages = 1 + repeats(scribe.world.random, 0.75, 20)
  for (let page = 0; page < pages && !scribe.isOver; page += 1) {
    browse(scribe, site)
    scribe.pause(1_200)
  }
}

export function playSession(scribe: Scribe, userId: string, isKnown: boolean): SessionEnd {
  const { random } = scribe.world
  const { site } = scribe.visit
  const funnel = chooseFunnel(site, isKnown, random())
  browse(scribe, site)
  reportVitals(scribe)
  for (const error of site.errors) if (error.at === null) meetError(scribe, error)
  for (let more = repeats(random, funnel === null ? 0.6 : 0.45, 12); more > 0; more -= 1) wander(scribe, site)
  if (random() < site.searchShare) search(scribe, site)
  return funnel === null ? { becameKnown: false, refund: null } : walkFunnel(scribe, funnel, userId)
}

function chooseFunnel(site: SiteModel, isKnown: boolean, draw: number): FunnelModel | null {
  const audience = isKnown ? 'known' : 'unknown'
  let bound = 0
  for (const funnel of site.funnels) {
    if (funnel.audience !== 'everyone' && funnel.audience !== audience) continue
    bound += funnel.entryShare
    if (draw < bound) return funnel
  }
  return null
}

/** One page outside the funnels. */
function browse(scribe: Scribe, site: SiteModel): void {
  const { random } = scribe.world
  const page = pagePicker(site)(random())
  scribe.page(fillId(page.path, page.ids, random()), page.title)
}

function wander(scribe: Scribe, site: SiteModel): void {
  const { random } = scribe.world
  scribe.pause(18_000)
  if (random() >= 0.3) {
    browse(scribe, site)
    return
  }
  const element = currentElement(scribe, pick(random, site.elements))
  if (element !== null) scribe.click(element)
}

/** After the redesign a button is another one, or gone. */
function currentElement(scribe: Scribe, element: SiteModel['elements'][number]) {
  const drift = scribe.world.faults.find((fault) => fault.kind === 'drift')
  if (drift === undefined || drift.site !== scribe.visit.site.key || scribe.nowMs < drift.fromMs)
    return element
  const change = redesign.find(({ before }) => before === element)
  return change === undefined ? element : change.after
}

function search(scribe: Scribe, site: SiteModel): void {
  const { random } = scribe.world
  scribe.pause(7_000)
  const query = pick(random, site.searchWords)
  const found = random() < 0.06 ? 0 : Math.ceil(logNormal(random, 18, 0.9))
  const filters = random() < 0.25 ? { filters: { sort: pick(random, ['price', 'newest', 'rating']) } } : {}
  scribe.send('$search', { query, result_count: found, ...filters })
}

function walkFunnel(scribe: Scribe, funnel: FunnelModel, userId: string): SessionEnd {
  const { random, tally } = scribe.world
  const { site } = scribe.visit
  const entered = siteTally(tally, site.key).funnels.find(({ key }) => key === funnel.key)?.entered ?? []
  let becameKnown = false
  let refund: Refund | null = null
  for (let index = 0; index < funnel.steps.length; index += 1) {
    const step = at(funnel.steps, index)
    scribe.pause(14_000)
    if (step.match.event === '$login') scribe.userId = userId
    const done = takeStep(scribe, step)
    if (!done.isSent) break
    entered[index] = (entered[index] ?? 0) + 1
    refund = done.refund
    if (step.match.event === '$signup' || step.match.event === '$purchase') {
      becameKnown = identify(scribe, userId)
    }
    if (index === funnel.rates.length) break
    if (random() >= at(funnel.rates, index) * meetErrors(scribe, funnel, step)) break
    if (random() < 0.15) wander(scribe, site)
  }
  for (let more = repeats(random, 0.5, 8); more > 0; more -= 1) wander(scribe, site)
  return { becameKnown, refund }
}

function takeStep(scribe: Scribe, step: StepModel): { isSent: boolean; refund: Refund | null } {
  const { random } = scribe.world
  const before = scribe.out.length
  let refund: Refund | null = null
  const { match } = step
  switch (match.event) {
    case '$pageview':
      scribe.page(fillId(match.path, match.ids, random()), match.title)
      // People look at several products or articles; the step is entered once.
      if (match.ids !== undefined) {
        for (let more = repeats(random, 0.5, 8); more > 0; more -= 1) {
          scribe.pause(25_000)
          scribe.page(fillId(match.path, match.ids, random()), match.title)
        }
      }
      break
    case '$click':
      scribe.click(match.element)
      break
    case '$form_submit':
      scribe.send('$form_submit', { form_id: match.formId, field_count: match.fields })
      break
    case '$login':
      scribe.send('$login', { method: pick(random, ['password', 'sso']), two_factor: random() < 0.3 })
      break
    case '$purchase':
      refund = placeOrder(scribe)
      break
    case '$signup':
      signUp(scribe)
      break
    case '$subscribe':
      subscribe(scribe)
  }
  return { isSent: scribe.out.length > before, refund }
}

/** From here on the visitor carries a user id. */
function identify(scribe: Scribe, userId: string): boolean {
  if (scribe.userId !== undefined) return false
  scribe.userId = userId
  scribe.pause(400)
  return scribe.send('$identify', { user_id: userId })
}

/** Runs the errors of a step; the product of their effects on the chance to continue. */
function meetErrors(scribe: Scribe, funnel: FunnelModel, step: StepModel): number {
  let kept = 1
  for (const error of scribe.visit.site.errors) {
    if (error.at?.funnel !== funnel.key || error.at.step !== step.key) continue
    if (meetError(scribe, error)) kept *= 1 - error.dropOff
  }
  return kept
}

function meetError(scribe: Scribe, error: ErrorModel): boolean {
  const { random, tally } = scribe.world
  const { site, release } = scribe.visit
  if (random() >= error.share) return false
  const counts = siteTally(tally, site.key).errors.find(({ key }) => key === error.key)
  const times = 1 + repeats(random, 0.2, 3)
  let isSeen = false
  for (let time = 0; time < times; time += 1) {
    scribe.pause(900)
    const isSent = scribe.send('error', {
      message: error.message.replace('#', String(Math.floor(random() * 1e6))),
      name: error.name,
      stack: makeStack(site, error, release),
      release,
      url: scribe.out.at(-1)?.wire.context.page?.url ?? `https://${site.domain}/`,
      handled: error.handled,
      tags: { file: error.file },
    })
    if (isSent && counts !== undefined) counts.occurrences += 1
    isSeen ||= isSent
  }
  if (isSeen && counts !== undefined) counts.affectedSessions += 1
  return isSeen
}

function makeStack(site: SiteModel, error: ErrorModel, release: string): string {
  // Build hashes change with each release, so grouping must not look at them.
  const build = Buffer.from(`${release}${error.file}`).toString('hex').slice(-8)
  const frames = error.functionNames.map(
    (name, depth) =>
      `    at ${name} (https://${site.domain}/assets/${error.file}-${build}.js:1:${2000 + depth * 731})`,
  )
  return `${error.name}: ${error.message}\n${frames.join('\n')}`
}

function reportVitals(scribe: Scribe): void {
  const { random } = scribe.world
  if (random() >= vitalsShare) return
  scribe.pause(3_000)
  const slow = scribe.visit.device.deviceClass === 'mobile' ? 1.5 : 1
  const vitals = [
    { metric: 'LCP', value: Math.round(logNormal(random, 1_500 * slow, 0.5)) },
    { metric: 'INP', value: Math.round(logNormal(random, 90 * slow, 0.6)) },
    { metric: 'CLS', value: Math.round(logNormal(random, 0.04, 0.9) * 1000) / 1000 },
  ]
  for (const vital of vitals) {
    scribe.nowMs += 1
    scribe.send('web_vital', vital)
  }
}

function fillId(path: string, ids: number | undefined, draw: number): string {
  // Squaring favours small numbers: a few products and articles get most of the views.
  return ids === undefined ? path : path.replace(':id', (1 + Math.floor(draw * draw * ids)).toString())
}
