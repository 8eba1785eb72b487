import { describeElement, elementOf, isPrivate, textOf } from '../page/element.ts'
import { scrub } from '../text.ts'
import { type Capture, listen } from './capture.ts'
import { clickedOf } from './clicks.ts'
import type { Definition } from './definition.ts'

type Match = Definition['match']

/** Elements whose text a user would pick. */
const texts = 'a,button,label,summary,h1,h2,h3,h4,[role]'

/** The contract allows texts of 200 characters; one more is enough to recognise a longer one. */
const textCharactersMax = 201

/** Interval between checks of a page that renders itself. */
const lookMs = 250

export function captureDefinitions(capture: Capture, definitions: readonly Definition[]): void {
  const of = (on: Match['on']) =>
    definitions.filter(({ match }) => match.on === on && isOnPage(match, capture.pages.current().url))
  const send = ({ event }: Definition, element?: Element): void =>
    capture.track(event, {}, { element: element && describeElement(element) })

  listen(capture, 'click', (event) => {
    const touched = elementOf(event)
    if (!touched) return
    for (const definition of of('click')) {
      const { selector } = definition.match
      const element = selector ? touched.closest(selector) : clickedOf(event)
      if (element && hasText(element, definition.match)) send(definition, element)
    }
  })
  listen(capture, 'submit', (event) => {
    const form = elementOf(event)
    if (!form) return
    for (const definition of of('submit')) {
      const { selector } = definition.match
      if ((!selector || form.matches(selector)) && hasText(form, definition.match)) send(definition, form)
    }
  })
  if (definitions.some(({ match }) => match.on === 'view')) watchViews(capture, () => of('view'), send)
}

/** `*` matches anything, and only the path counts. */
function isOnPage({ page }: Match, url: string): boolean {
  const parts = page.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`).test(new URL(url).pathname)
}

/** A form matches by a text within it, everything else by its whole text. */
function hasText(element: Element, { text }: Match): boolean {
  if (!text) return true
  const own = textOf(element, textCharactersMax)
  return element.localName === 'form' ? own.includes(scrub(text)) : own === scrub(text)
}

/** Each definition fires once per page view, when its element first becomes visible. */
function watchViews(
  { pages, guard }: Capture,
  wanted: () => Definition[],
  send: (definition: Definition, element?: Element) => void,
): void {
  let missing: Definition[] = []
  let isLooking = false
  const sights: IntersectionObserver[] = []

  const awaitSight = (definition: Definition, element: Element): void => {
    const see = guard((entries: IntersectionObserverEntry[]) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      sight.disconnect()
      send(definition, element)
    })
    const sight = new IntersectionObserver(see)
    sight.observe(element)
    sights.push(sight)
  }
  const look = (): void => {
    isLooking = false
    missing = missing.filter((definition) => {
      const { match } = definition
      if (!match.selector && !match.text) return send(definition)
      const found = [...document.querySelectorAll(match.selector ?? texts)].find(
        (element) => !isPrivate(element) && hasText(element, match),
      )
      if (found) awaitSight(definition, found)
      return !found
    })
  }

  new MutationObserver(() => {
    if (missing.length === 0 || isLooking) return
    isLooking = true
    setTimeout(guard(look), lookMs)
  }).observe(document.documentElement, { childList: true, subtree: true })
  pages.onView(() => {
    for (const sight of sights.splice(0)) sight.disconnect()
    missing = wanted()
    look()
  })
}
