import { type DriftKind, driftDaysMax } from '@assay/contract'
import { type ElementFacts, rankCandidates, similarity } from './similo.ts'

/** An element as its clicks show it, day by day; the last day is the latest. */
export type Seen = {
  page: string
  selector: string
  clicks: readonly number[]
  /** As it was before the latest days, and how many texts it had then; null where it was not clicked then. */
  before: Look | null
  /** As it was in the latest days. */
  now: Look | null
  lastMs: number
}
export type Look = { text: string; texts: number; facts: ElementFacts; ancestors: string }

export type Finding = {
  page: string
  selector: string
  text: string
  kind: DriftKind
  expectedPerDay: number
  observed: number
  candidate: { selector: string; text: string; score: number } | null
  lastMs: number
}

/** Days that are looked at: three weeks, so that each weekday was there before. */
export const watchedDays = 21
/** The shortest of these with enough expected clicks to distinguish silence from chance is used. */
const recentDayCounts = [1, 3, driftDaysMax] as const
/** How an element looks now is how it looked on the last of them. */
export const looksDays = 1
/** With so many expected, none at all happens by chance once in a million times. */
const expectedMin = 14
/** A dip is no break: people click less on what they have seen. */
const silentShare = 0.2
/** An element with few clicks, or on two days only, is not watched. */
const clicksMin = 30
const daysMin = 3
/** Algorithms §6.1, calibrated on the pages of the study: a candidate this like and this far ahead is the one. */
const likeMin = 0.6
const marginMin = 0.05

/** What changed among the elements of a site, given how often each page was viewed on each day. */
export function findDrift(
  elements: readonly Seen[],
  views: ReadonlyMap<string, readonly number[]>,
): Finding[] {
  const byPage = Map.groupBy(elements, (element) => element.page)
  return [...byPage].flatMap(([page, onPage]) => {
    const seen = views.get(page) ?? []
    return onPage.flatMap((element) => judge(element, onPage, seen) ?? [])
  })
}

function judge(element: Seen, onPage: readonly Seen[], views: readonly number[]): Finding | null {
  for (const days of recentDayCounts) {
    const expected = expectedClicks(element, views, days)
    if (expected === null || expected < expectedMin) continue
    const observed = sum(element.clicks.slice(-days))
    const facts = {
      page: element.page,
      selector: element.selector,
      text: element.before?.text ?? '',
      expectedPerDay: expected / days,
      observed,
      lastMs: element.lastMs,
    }
    if (observed <= expected * silentShare) return { ...facts, ...whatBecameOf(element, onPage, days) }
    const candidate = retexted(element)
    return candidate === null ? null : { ...facts, kind: 'retexted', candidate }
  }
  return null
}

/** By its earlier clicks per view: a quiet weekend, or a page without visits, expects few. */
function expectedClicks({ clicks, before }: Seen, views: readonly number[], days: number): number | null {
  const [past, pastViews] = [clicks.slice(0, -days), sum(views.slice(0, -days))]
  const isUsed = sum(past) >= clicksMin && past.filter((count) => count > 0).length >= daysMin
  if (before === null || !isUsed || pastViews === 0) return null
  return (sum(past) / pastViews) * sum(views.slice(-days))
}

/** Among what is clicked on its page now and was not before. */
function whatBecameOf(
  element: Seen,
  onPage: readonly Seen[],
  days: number,
): Pick<Finding, 'kind' | 'candidate'> {
  const { before } = element
  if (before === null) return { kind: 'missing', candidate: null }
  const isNew = ({ clicks }: Seen) => sum(clicks.slice(-days)) > 0 && sum(clicks.slice(0, -days)) === 0
  const others = onPage.flatMap((other) => {
    const look = other.now ?? other.before
    return other !== element && look !== null && isNew(other) ? [{ selector: other.selector, look }] : []
  })
  const [best, second] = rankCandidates(before.facts, others, ({ look }) => look.facts)
  if (best === undefined || best.score < likeMin) return { kind: 'missing', candidate: null }
  const { selector, look } = best.candidate
  const candidate = { selector, text: look.text, score: best.score }
  if (second !== undefined && best.score - second.score < marginMin) return { kind: 'ambiguous', candidate }
  return { kind: look.ancestors === before.ancestors ? 'renamed' : 'moved', candidate }
}

/** A text that changes all the time, such as a number of things in a cart, says nothing. */
function retexted({ selector, before, now }: Seen): Finding['candidate'] {
  if (before === null || now === null || before.texts > 1 || now.texts > 1 || before.text === now.text)
    return null
  if (before.text === '' || now.text === '') return null
  return { selector, text: now.text, score: similarity(before.facts, now.facts) }
}

/** Whether an element is used again as it was: clicked by more than a straggler, and saying what it said. */
export function isBack(
  element: Seen,
  alert: { text: string; kind: DriftKind; expectedPerDay: number },
): boolean {
  if (element.now === null) return false
  if (alert.kind === 'retexted') return element.now.texts === 1 && element.now.text === alert.text
  return sum(element.clicks.slice(-looksDays)) > Math.max(stragglersMax, alert.expectedPerDay * silentShare)
}

/** Pages that stay open over a release, and copies in caches. */
const stragglersMax = 2

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
