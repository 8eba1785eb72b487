import { cleanUrl } from '../page/page-address.ts'

/** Marks elements that may be shown as they are; everything else is masked with stars. */
const shownMark = '[data-replay-show]'

/** Parts of recorded events that can contain personal data. */
type Recorded = { id: number; tagName?: string; attributes?: Attributes; childNodes?: Recorded[] }
type Attributes = Record<string, unknown>
export type RecordedEvent = {
  type: number
  timestamp: number
  data: {
    href?: string
    node?: Recorded
    adds?: { node: Recorded }[]
    attributes?: { id: number; attributes: Attributes }[]
    isChecked?: boolean
  }
}

/** Attributes that define how a page looks, not what it says: no texts, links, images or choices. */
const harmless = new RegExp(
  `^(?:${[
    'class|id|style|type|role|rel|media|dir|lang|width|height|size|cols|rows|colspan|rowspan|hidden|open|disabled',
    'multiple|xmlns|viewBox|d|points|transform|cx|cy|r|rx|ry|x1?|x2|y1?|y2|fill[\\w-]*|stroke[\\w-]*',
    'opacity|clip-path|preserveAspectRatio|rr_(?:width|height|scroll\\w+|custom\\w*)|_cssText',
  ].join('|')})$`,
)

const stars = (text: string): string => text.replace(/\S/g, '*')

/** The URL of an image may identify a person. Changed styles are recorded as an object instead of a text. */
const withoutPictures = (style: unknown): unknown =>
  JSON.parse(JSON.stringify(style).replace(/url\([^)]*\)/g, 'none'))

function isShown(node: Node | null): boolean {
  const element = node instanceof Element ? node : node?.parentElement
  return Boolean(element?.closest(shownMark))
}

export const maskText = (text: string, element: Element | null): string =>
  isShown(element) ? text : stars(text)

/**
 * Removes from an event, in place, what the recorder's own masking leaves: attributes, choices, the page URL.
 */
export function maskEvent({ data }: RecordedEvent, nodeOf: (id: number) => Node | null): void {
  const hasShown = document.querySelector(shownMark) !== null
  const maskAttributes = (id: number, attributes: Attributes, tagName?: string): void => {
    const isOpen = hasShown && isShown(nodeOf(id))
    for (const [name, value] of Object.entries(attributes)) {
      const isStyleSheet = tagName === 'link' && name === 'href' && attributes.rel === 'stylesheet'
      if (name === 'value' && typeof value === 'string') attributes[name] = stars(value)
      else if (name === 'checked' || name === 'selected') delete attributes[name]
      else if (isOpen || isStyleSheet) continue
      else if (name === 'style') attributes[name] = withoutPictures(value)
      else if (!harmless.test(name)) delete attributes[name]
    }
  }
  const maskTree = ({ id, attributes, tagName, childNodes = [] }: Recorded): void => {
    if (attributes) maskAttributes(id, attributes, tagName)
    for (const child of childNodes) maskTree(child)
  }
  if (data.href) data.href = cleanUrl(data.href)
  if (data.isChecked) data.isChecked = false
  if (data.node) maskTree(data.node)
  for (const { node } of data.adds ?? []) maskTree(node)
  for (const { id, attributes } of data.attributes ?? []) maskAttributes(id, attributes)
}
