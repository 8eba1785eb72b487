import type { SharedView } from '@assay/contract'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import type { SharedResult } from '../shared-results.ts'
import { resultHtml } from './result-tables.ts'
import { momentText } from './shown-values.ts'
import { styleOf } from './style.ts'

/** A section of the page: a result, a text, or why there is none. */
export type Section = { title: string } & ({ result: SharedResult } | { text: string })

/** No script runs and nothing is loaded, so it works in any frame. */
export function sharedPage(view: SharedView, sections: readonly Section[]): string {
  const parts = sections.map((section) => `<section>${sectionHtml(section)}</section>`)
  const about = view.description === '' ? '' : `<p>${escapeHtml(view.description)}</p>`
  return page(
    view.theme,
    `${view.name} · ${view.siteName}`,
    `<header><h1>${escapeHtml(view.name)}</h1><p>${escapeHtml(view.siteName)}</p>${about}</header>
<main>${parts.join('\n')}</main>
<footer>${footerText(sections)}</footer>`,
  )
}

export function plainPage(heading: string, text: string): string {
  return page('system', heading, `<main><h1>${escapeHtml(heading)}</h1><p>${escapeHtml(text)}</p></main>`)
}

function page(theme: SharedView['theme'], title: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<style>${styleOf(theme)}</style>
<body>${body}</body></html>`
}

function sectionHtml(section: Section): string {
  const heading = section.title === '' ? '' : `<h2>${escapeHtml(section.title)}</h2>`
  if ('text' in section) return `${heading}<p>${escapeHtml(section.text)}</p>`
  return heading + resultHtml(section.result)
}

/** The oldest answer of the page says how fresh all of it is. */
function footerText(sections: readonly Section[]): string {
  const times = sections.flatMap((section) => ('result' in section ? [section.result.dataUntil] : []))
  const [oldest] = times.sort()
  if (oldest === undefined) return 'Assay'
  return `Data until ${momentText(oldest)} UTC · rows of few visitors are left out · Assay`
}
