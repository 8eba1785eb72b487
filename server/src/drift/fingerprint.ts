import { isRecord } from '@assay/contract'
import type { Look } from './watch.ts'

/** What the browser SDK says of an element with a click, as facts that can be compared; senders may say anything. */
export function lookOf(text: string, texts: number, selector: string, json: string): Look {
  const fingerprint = parsed(json)
  const attributes = isRecord(fingerprint.attributes) ? fingerprint.attributes : {}
  const position = isRecord(fingerprint.position) ? fingerprint.position : {}
  const ancestors = listOf(fingerprint.ancestors)
  const tag = textOf(fingerprint.tag)
  const role = textOf(fingerprint.role)
  return {
    text,
    texts,
    ancestors: ancestors.join(' > '),
    facts: {
      tag,
      name: textOf(attributes.name) || textOf(attributes['data-testid']) || textOf(attributes['data-test']),
      id: textOf(fingerprint.id),
      visibleText: text,
      className: listOf(fingerprint.classes).join(' '),
      href: textOf(attributes.href),
      alt: textOf(attributes['aria-label']) || textOf(attributes.alt) || textOf(attributes.title),
      xpath: [...ancestors, tag].join('/'),
      idXpath: selector,
      isButton: role === 'button' || tag === 'button' ? 'yes' : 'no',
      ...numbersOf(position),
    },
  }
}

function parsed(json: string): Record<string, unknown> {
  const value: unknown = json === '' ? {} : JSON.parse(json)
  return isRecord(value) ? value : {}
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
const listOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

function numbersOf(position: Record<string, unknown>): {
  x?: number
  y?: number
  width?: number
  height?: number
} {
  const { x, y, width, height } = position
  return {
    ...(typeof x === 'number' && { x }),
    ...(typeof y === 'number' && { y }),
    ...(typeof width === 'number' && { width }),
    ...(typeof height === 'number' && { height }),
  }
}
