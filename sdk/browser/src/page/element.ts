import type { ElementFingerprint } from '../../../../contract/src/health/element-fingerprint.ts'
import { scrub } from '../text.ts'

type ElementDescription = {
  element: string
  selector: string
  /** Omitted from the JSON if there is none. */
  text: string | undefined
  fingerprint: ElementFingerprint
}

/** Elements with this mark are never read: no click, no form, no text. */
const privateMark = '[data-private]'
/** Inputs of people, and elements without text. */
const unread = `${privateMark},input,select,textarea,script,style,noscript,[contenteditable]`

const textCharactersMax = 80
/** Characters read of an element's text, including white space. */
const wordsCharactersMax = 1_000
const ancestorsMax = 6
const selectorPartsMax = 5

export const isPrivate = (element: Element): boolean => element.closest(privateMark) !== null

/** The innermost target, also inside an open shadow root; undefined if it or an ancestor is private. */
export function elementOf(event: Event): Element | undefined {
  const path = event.composedPath().filter((node): node is Element => node instanceof Element)
  return path.some((element) => element.matches(privateMark)) ? undefined : path[0]
}

/** Visible text of an element, without private parts and typed input. */
export function textOf(element: Element, charactersMax = textCharactersMax): string {
  const words = element.closest(unread) ? labelOfButton(element) : wordsIn(element)
  return scrub(words).slice(0, charactersMax)
}

function wordsIn(node: Node): string {
  if (node.nodeType === Node.TEXT_NODE) return ` ${node.nodeValue}`
  let words = ''
  if (node instanceof Element && node.matches(unread)) return words
  // A page can be one large link; reading stops at the length that is compared or stored.
  for (const child of node.childNodes) if (words.length < wordsCharactersMax) words += wordsIn(child)
  return words
}

/** The value of a button is its label, written by the page; all other values are typed by people. */
function labelOfButton(element: Element): string {
  const isButton = element.matches('input[type=submit],input[type=button],input[type=reset]')
  return isButton && !isPrivate(element) ? attributeOf(element, 'value') : ''
}

/**
 * Frameworks number generated names differently with each build; a name without digits was chosen by a
 * person.
 */
const isNamed = (name: string): boolean => /^[a-z][a-z_-]{1,39}$/i.test(name)

const attributeOf = (element: Element, name: string): string => element.getAttribute(name) ?? ''

function idOf(element: Element): string {
  const id = attributeOf(element, 'id')
  return /\d{3}|:/.test(id) ? '' : id
}

const classesOf = (element: Element): string[] => [...element.classList].filter(isNamed)

/** `form#checkout`, `nav.top`: what a person would say. */
function shortName(element: Element): string {
  const tag = element.localName
  const id = idOf(element)
  if (id) return `${tag}#${CSS.escape(id)}`
  const [first] = classesOf(element)
  return first ? `${tag}.${first}` : tag
}

/** The shortest unique selector, built from the element upwards. */
function selectorOf(element: Element): string {
  let selector = ''
  let at = element
  for (let parts = 0; parts < selectorPartsMax; parts += 1) {
    const { parentElement, localName } = at
    if (!parentElement) break
    const name = shortName(at)
    const siblings = [...parentElement.children].filter((child) => child.localName === localName)
    // One match is enough, since lists have thousands.
    const hasTwin = siblings.some((child) => child !== at && shortName(child) === name)
    const part = hasTwin ? `${name}:nth-of-type(${siblings.indexOf(at) + 1})` : name
    selector = selector ? `${part} > ${selector}` : part
    if (document.querySelectorAll(selector).length < 2) break
    at = parentElement
  }
  return selector
}

function ancestorsOf(element: Element): string[] {
  const names: string[] = []
  for (let at = element.parentElement; at && at !== document.documentElement; at = at.parentElement)
    names.unshift(shortName(at))
  return names.slice(-ancestorsMax)
}

/** Only the path of a link within the site, or the host of another site: the rest may be personal. */
function hrefOf(element: Element): string {
  if (!(element instanceof HTMLAnchorElement) || !element.hasAttribute('href')) return ''
  const { protocol, host, pathname } = element
  if (!protocol.startsWith('http')) return protocol
  return host === location.host ? pathname : `${protocol}//${host}`
}

const implicitRoles: Readonly<Record<string, string>> = { a: 'link', button: 'button', form: 'form' }
const stableAttributes = ['name', 'type', 'aria-label', 'title', 'alt', 'data-testid', 'data-test']

function fingerprintOf(element: Element): ElementFingerprint {
  const { x, y, width, height } = element.getBoundingClientRect()
  const tag = element.localName
  const attributes: Record<string, string> = {}
  for (const name of stableAttributes) {
    const value = scrub(attributeOf(element, name)).slice(0, textCharactersMax)
    if (value) attributes[name] = value
  }
  const href = hrefOf(element)
  if (href) attributes.href = href
  return {
    tag,
    role: attributeOf(element, 'role') || implicitRoles[tag] || '',
    id: idOf(element),
    classes: classesOf(element),
    attributes,
    ancestors: ancestorsOf(element),
    position: {
      x: Math.round(x + scrollX),
      y: Math.round(y + scrollY),
      width: Math.round(width),
      height: Math.round(height),
    },
  }
}

/** `element` is the name used in reports: set by the page, or the best that the element offers. */
export function describeElement(element: Element): ElementDescription {
  const text = textOf(element)
  const selector = selectorOf(element)
  const fingerprint = fingerprintOf(element)
  const named = attributeOf(element, 'data-name') || fingerprint.id || fingerprint.attributes['data-testid']
  return {
    element: named || text || fingerprint.attributes['aria-label'] || selector,
    selector,
    text: text || undefined,
    fingerprint,
  }
}
