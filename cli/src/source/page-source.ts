import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { type EventWords, type Finding, isSdkAddress } from './mentions.ts'
import { readScript } from './script-source.ts'
import { readWords, writings } from './word-source.ts'

type Element = DefaultTreeAdapterTypes.Element
type Parent = DefaultTreeAdapterTypes.ParentNode

/** A script of a page: its attributes, and what it contains. */
type PageScript = {
  attributes: Readonly<Record<string, string>>
  line: number
  code: string
  codeLine: number
}

/** Findings of a page, or of a component of Vue, which is written as one. */
export function readPage(text: string, words: EventWords): Finding[] {
  const found = elementsOf(text).flatMap((element) =>
    element.tagName === 'script' ? scriptFindings(scriptOf(element), words) : handlerFindings(element, words),
  )
  return found.toSorted((left, right) => left.line - right.line)
}

/**
 * Findings of a component whose markup holds code in braces (Svelte, Astro): its scripts as such, the rest word by
 * word.
 */
export function readComponent(text: string, words: EventWords): Finding[] {
  const { front, page } = splitFront(text)
  const scripts = elementsOf(page).filter(({ tagName }) => tagName === 'script')
  const found = [
    ...readCode(front, 1, words),
    ...scripts.flatMap((element) => scriptFindings(scriptOf(element), words)),
    ...readWords(withoutCode(page), writings.markup, words),
  ]
  return found.toSorted((left, right) => left.line - right.line)
}

/** Whether a page loads the browser SDK with a key. */
export function hasSdkTag(text: string): boolean {
  return elementsOf(text)
    .filter(({ tagName }) => tagName === 'script')
    .some((element) => {
      const { attributes } = scriptOf(element)
      return isSdkAddress(attributes.src ?? '') && attributes['data-key'] !== undefined
    })
}

/** Where the head of a page ends, if its end is written out. */
export function headEnd(text: string): number | null {
  const head = elementsOf(text).find(({ tagName }) => tagName === 'head')
  return head?.sourceCodeLocation?.endTag?.startOffset ?? null
}

function elementsOf(text: string): Element[] {
  const elements: Element[] = []
  const waiting: Parent[] = [parse(text, { sourceCodeLocationInfo: true })]
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const child of parent.childNodes) {
      if (!('tagName' in child)) continue
      elements.push(child)
      waiting.push(child)
      if ('content' in child) waiting.push(child.content)
    }
  }
  return elements
}

function scriptOf(element: Element): PageScript {
  const attributes = Object.fromEntries(element.attrs.map(({ name, value }) => [name, value]))
  const line = lineOf(element)
  const [child] = element.childNodes
  const isCode = child !== undefined && child.nodeName === '#text' && 'value' in child
  return {
    attributes,
    line,
    code: isCode ? child.value : '',
    codeLine: (isCode ? child.sourceCodeLocation?.startLine : undefined) ?? line,
  }
}

function lineOf({ sourceCodeLocation }: Element): number {
  return sourceCodeLocation?.startLine ?? 1
}

/** Data such as JSON-LD is no code. */
const codeTypes = new Set([
  '',
  'module',
  'text/javascript',
  'application/javascript',
  'text/babel',
  'ts',
  'text/typescript',
])

function scriptFindings({ attributes, line, code, codeLine }: PageScript, words: EventWords): Finding[] {
  const { src = '', type = '' } = attributes
  const lacksKey = attributes['data-key'] === undefined
  const found: Finding[] = isSdkAddress(src)
    ? [{ kind: 'install', line, name: 'the script tag', ...(lacksKey && { lacksKey }) }]
    : []
  if (found.length > 0 && attributes['data-consent'] !== undefined) found.push({ kind: 'consent', line })
  return codeTypes.has(type.trim().toLowerCase()) ? [...found, ...readCode(code, codeLine, words)] : found
}

/** onclick="…" of pages, @click="…" and v-on:click="…" of Vue. */
function handlerFindings(element: Element, words: EventWords): Finding[] {
  return element.attrs
    .filter(({ name }) => name.startsWith('on') || name.startsWith('@') || name.startsWith('v-on:'))
    .flatMap(({ name, value }) => {
      const line = element.sourceCodeLocation?.attrs?.[name]?.startLine ?? lineOf(element)
      return readCode(value, line, words)
    })
}

function readCode(code: string, firstLine: number, words: EventWords): Finding[] {
  if (code.trim() === '') return []
  const found = readScript(code, words) ?? readWords(code, writings.markup, words)
  return found.map((one) => ({ ...one, line: one.line + firstLine - 1 }))
}

/** Astro begins with code between two lines of three dashes; its lines stay counted. */
function splitFront(text: string): { front: string; page: string } {
  if (!text.startsWith('---\n')) return { front: '', page: text }
  const end = text.indexOf('\n---', 4)
  if (end === -1) return { front: '', page: text }
  const front = `\n${text.slice(4, end)}`
  return { front, page: blank(text.slice(0, end + 4)) + text.slice(end + 4) }
}

function withoutCode(page: string): string {
  let rest = page
  for (const { tagName, sourceCodeLocation } of elementsOf(page)) {
    if ((tagName !== 'script' && tagName !== 'style') || !sourceCodeLocation) continue
    const { startOffset, endOffset } = sourceCodeLocation
    rest = rest.slice(0, startOffset) + blank(rest.slice(startOffset, endOffset)) + rest.slice(endOffset)
  }
  return rest
}

const blank = (text: string) => text.replace(/[^\n]/g, ' ')
