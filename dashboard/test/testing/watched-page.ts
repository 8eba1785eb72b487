import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

/** The source of each element it looks at is not reported here. */
const axe = `${readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')}
axe.configure({ noHtml: true })`

/** Without `preload` axe loads the style sheets again, for experimental rules that it leaves out. */
const options = "{ resultTypes: ['violations'], preload: { assets: ['media'] } }"

/** What a screen reader would trip over, in all of the page or in what a selector names. */
export async function violationsOn(page: Page, selector?: string): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const place = selector === undefined ? 'document' : JSON.stringify(selector)
  return page.evaluate(
    `axe.run(${place}, ${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
  )
}

/** What a screen reader or a small screen would trip over. */
export async function findingsOn(page: Page): Promise<string[]> {
  const violations = await violationsOn(page)
  const isWide: boolean = await page.evaluate('document.documentElement.scrollWidth > innerWidth + 1')
  return [...violations, ...(isWide ? ['scrolls sideways'] : [])]
}

/** Collects what the browser complains about: scripts, styles and files that the policy refuses. */
export function complaintsOf(page: Page, provoked: RegExp): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !provoked.test(message.text())) {
      complaints.push(`${page.url()}: ${message.text()}`)
    }
  })
  page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.message}`))
  return complaints
}
