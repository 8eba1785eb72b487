import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What a screen reader or a small screen would trip over. */
export async function findingsOn(page: Page): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  const violations: string[] = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`,
  )
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
