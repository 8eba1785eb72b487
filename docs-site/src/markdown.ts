import { posix } from 'node:path'
import type { MarkdownReader, MarkdownState, Token } from '@11ty/eleventy'
import { anchorOf, sitePathOf } from './contents.ts'

/** Where the pages are read from, as Eleventy names it. */
export const inputFolder = './docs/'

/** What the site makes of Markdown that is written for GitHub: ids of headings, links between pages, wide tables. */
export function adaptMarkdown(reader: MarkdownReader, isOnSite: (path: string) => boolean): void {
  reader.core.ruler.push('heading-ids', nameHeadings)
  reader.core.ruler.push('empty-headers', emptyHeaders)
  reader.core.ruler.push('page-links', (state) => {
    const page = state.env.page.inputPath.slice(inputFolder.length)
    for (const { children } of state.tokens) if (children) linkPages(children, page, isOnSite)
  })
  const { fence } = reader.renderer.rules
  reader.renderer.rules.fence = (...values) => fence?.(...values).replace('<pre>', '<pre tabindex="0">') ?? ''
  // A table that is wider than the screen scrolls inside its frame, also by keyboard, as code does.
  reader.renderer.rules.table_open = () => '<div class="wide" tabindex="0"><table>\n'
  reader.renderer.rules.table_close = () => '</table></div>\n'
}

function nameHeadings({ tokens }: MarkdownState): void {
  // bounded: by the headings of one page.
  const seen = new Map<string, number>()
  for (const [index, token] of tokens.entries()) {
    if (token.type !== 'heading_open') continue
    const anchor = anchorOf(textOf(tokens[index + 1]))
    const times = seen.get(anchor) ?? 0
    seen.set(anchor, times + 1)
    token.attrSet('id', times === 0 ? anchor : `${anchor}-${times}`)
  }
}

/** Markdown has no table without a header; an empty one heads nothing. */
function emptyHeaders({ tokens }: MarkdownState): void {
  for (const [index, token] of tokens.entries()) {
    const [text, close] = [tokens[index + 1], tokens[index + 2]]
    if (token.type !== 'th_open' || text?.content !== '' || close === undefined) continue
    token.tag = 'td'
    close.tag = 'td'
  }
}

function textOf(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join('')
}

/** A link to a file of the repository that is not on the site becomes its text. */
function linkPages(children: Token[], page: string, isOnSite: (path: string) => boolean): void {
  let isDropped = false
  for (const token of children) {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? ''
      const target = targetOf(href, page)
      isDropped = target !== null && !isOnSite(target)
      if (isDropped) token.type = 'text'
      else if (target !== null) token.attrSet('href', siteLink(href))
    } else if (token.type === 'link_close' && isDropped) {
      token.type = 'text'
      isDropped = false
    }
  }
}

/** The file of docs/ that a link leads to; null for other sites and for headings of the same page. */
function targetOf(href: string, page: string): string | null {
  if (/^[a-z]+:/.test(href) || href.startsWith('#')) return null
  return posix.join(posix.dirname(page), href.split('#', 1)[0] ?? '')
}

function siteLink(href: string): string {
  const [path = '', anchor] = href.split('#')
  return sitePathOf(path) + (anchor === undefined ? '' : `#${anchor}`)
}
