/** A page in the contents: its path is relative to docs/, as the link on the list of pages has it. */
export type Entry = { title: string; path: string }
export type Group = { title: string; entries: readonly Entry[] }

/** The groups of docs/README.md: a heading, and the first link of each row or item below it. */
export function groupsOf(listOfPages: string): Group[] {
  const [, ...sections] = listOfPages.split(/^## /m)
  return sections.map((section) => {
    const [title = '', ...lines] = section.split('\n')
    const links = [...lines.join('\n').matchAll(/\[([^\]]+)\]\(([^)#]+)\)/g)]
    return { title, entries: links.map(([, name = '', path = '']) => ({ title: capitalized(name), path })) }
  })
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** The first heading. */
export function titleOf(markdown: string): string {
  const heading = /^# (.+)$/m.exec(markdown)?.[1] ?? ''
  return heading.replaceAll('`', '')
}

/** Where the site has a file of docs/: a page is a file of the same name, the list of pages the first page. */
export function sitePathOf(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html')
}

/** From a page to the root of the site: `''` or `'../'` for each folder. */
export function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 1)
}

/** The name of a heading in an address, as on GitHub, so that links to it work in both places. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\d _-]/gu, '')
    .replaceAll(' ', '-')
}
