/** A tag of a page, with its attributes by lower-case name; of a script also what it contains. */
export type Tag = { name: 'script' | 'meta'; attributes: Readonly<Record<string, string>>; text: string }

/** Tags that are read; a page with more is no page that people made. */
const tagsMax = 5_000
const attributesMax = 50

/**
 * Scripts and metas of a page, in one pass without patterns that could run forever: the page may be hostile. What is in
 * comments and scripts is no tag.
 */
export function readTags(html: string): Tag[] {
  const tags: Tag[] = []
  let at = 0
  while (tags.length < tagsMax) {
    const open = html.indexOf('<', at)
    if (open === -1) break
    if (html.startsWith('<!--', open)) {
      at = endOf(html, '-->', open + 4)
      continue
    }
    const name = nameAt(html, open + 1)
    if (name === null) {
      at = open + 1
      continue
    }
    const { attributes, end } = readAttributes(html, open + 1 + name.length)
    if (name === 'meta') {
      tags.push({ name, attributes, text: '' })
      at = end
      continue
    }
    const close = closeOf(html, end)
    tags.push({ name, attributes, text: html.slice(end, close) })
    at = close
  }
  return tags
}

function endOf(html: string, mark: string, from: number): number {
  const found = html.indexOf(mark, from)
  return found === -1 ? html.length : found + mark.length
}

function nameAt(html: string, at: number): Tag['name'] | null {
  const word = html.slice(at, at + 7).toLowerCase()
  if (/^script[\s/>]/.test(word)) return 'script'
  return /^meta[\s/>]/.test(word) ? 'meta' : null
}

/** Where `</script` begins. */
function closeOf(html: string, from: number): number {
  let at = from
  for (;;) {
    const found = html.indexOf('</', at)
    if (found === -1) return html.length
    if (html.slice(found + 2, found + 8).toLowerCase() === 'script') return found
    at = found + 2
  }
}

const isSpace = (letter: string | undefined) => letter !== undefined && /\s/.test(letter)

function readAttributes(html: string, from: number): { attributes: Record<string, string>; end: number } {
  const attributes: Record<string, string> = {}
  let at = from
  let count = 0
  while (at < html.length) {
    while (isSpace(html[at]) || html[at] === '/') at += 1
    if (at >= html.length || html[at] === '>') break
    const start = at
    while (at < html.length && !isSpace(html[at]) && !'=>/'.includes(html[at] ?? '')) at += 1
    // A single `=` or `/` is no name: skip it.
    if (at === start) at += 1
    const name = html.slice(start, at).toLowerCase()
    while (isSpace(html[at])) at += 1
    const value = html[at] === '=' ? valueAt(html, at + 1) : { text: '', end: at }
    at = value.end
    if (count < attributesMax && !Object.hasOwn(attributes, name)) attributes[name] = unescaped(value.text)
    count += 1
  }
  return { attributes, end: Math.min(html.length, at + 1) }
}

function valueAt(html: string, from: number): { text: string; end: number } {
  let at = from
  while (isSpace(html[at])) at += 1
  const quote = html[at]
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, at + 1)
    const end = close === -1 ? html.length : close
    return { text: html.slice(at + 1, end), end: end + 1 }
  }
  const start = at
  while (at < html.length && !isSpace(html[at]) && html[at] !== '>') at += 1
  return { text: html.slice(start, at), end: at }
}

const entities: Readonly<Record<string, string>> = {
  quot: '"',
  '#34': '"',
  '#39': "'",
  apos: "'",
  lt: '<',
  gt: '>',
}

function unescaped(text: string): string {
  return text
    .replace(/&(quot|#34|#39|apos|lt|gt);/g, (whole, name: string) => entities[name] ?? whole)
    .replaceAll('&amp;', '&')
}
