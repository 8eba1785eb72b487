import { type Group, rootFrom, sitePathOf } from './contents.ts'

export type SiteFiles = { script: string; theme: string; style: string; mark: string; index: string }
type LaidOut = { path: string; title: string; content: string }

const product = 'Assay'

/** The whole document: files of the site alone, no script or style in the page. */
export function layOut(page: LaidOut, groups: readonly Group[], files: SiteFiles): string {
  const root = rootFrom(page.path)
  const title = page.path === 'index.html' ? `${product} docs` : `${escapeHtml(page.title)} · ${product} docs`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<script src="${root}${files.theme}"></script>
<link rel="icon" href="${root}${files.mark}">
<link rel="stylesheet" href="${root}${files.style}">
<script type="module" src="${root}${files.script}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the page</a>
<header class="top">
<a class="mark" href="${root}index.html"><img src="${root}${files.mark}" alt="">${product} docs</a>
<search class="search" data-root="${root}" data-index="${root}${files.index}">
<input type="search" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list"
 aria-label="Search the docs" placeholder="Search" autocomplete="off" spellcheck="false">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</search>
</header>
<div class="columns">
<nav class="contents" aria-label="Pages">
<details open><summary>Pages</summary>
${groups.map((group) => contentsOf(group, page.path, root)).join('\n')}
</details>
</nav>
<main id="content">
${page.content}
</main>
${outlineOf(page.content)}
</div>
</body>
</html>
`
}

function contentsOf({ title, entries }: Group, current: string, root: string): string {
  const items = entries.map((entry) => {
    const path = sitePathOf(entry.path)
    const mark = path === current || `${path}index.html` === current ? ' aria-current="page"' : ''
    return `<li><a href="${root}${path}"${mark}>${escapeHtml(entry.title)}</a></li>`
  })
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('')}</ul>`
}

/** Few enough to be seen at a glance; a shorter page needs none. */
const outlineMin = 3

function outlineOf(content: string): string {
  const headings = [...content.matchAll(/<h2 id="([^"]+)"[^>]*>([\s\S]*?)<\/h2>/g)]
  if (headings.length < outlineMin) return ''
  const items = headings.map(([, id = '', html = '']) => {
    return `<li><a href="#${id}">${html.replace(/<\/?a\b[^>]*>/g, '')}</a></li>`
  })
  return `<nav class="outline" aria-label="On this page"><h2>On this page</h2><ul>${items.join('')}</ul></nav>`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
