import type { Page } from 'playwright-core'
import { areaNames } from '../../src/shell/areas.ts'
import { text } from './all-text.ts'

/** Opens a list of choices and takes one. */
export async function choose(page: Page, label: string, choice: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).click()
  await page.getByRole('option', { name: choice, exact: true }).click()
}

/** Where each page of the navigation stands, in its words: place by place, link by link. */
export async function pageHrefs(page: Page): Promise<string[]> {
  const hrefs: string[] = []
  for (const area of areaNames) {
    const place = page.locator(`[data-area=${area}] a`)
    if ((await place.count()) === 0) continue
    await place.click()
    const links = page
      .getByRole('navigation', { name: text.shell.areas[area], exact: true })
      .getByRole('link')
    await links.first().waitFor()
    hrefs.push(...(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))))
  }
  return hrefs
}

/** To a page as a person goes: to its place, then to its link there. */
export async function enterPage(page: Page, area: (typeof areaNames)[number], title: string): Promise<void> {
  await page.locator(`[data-area=${area}] a`).click()
  const links = page.getByRole('navigation', { name: text.shell.areas[area], exact: true })
  await links.getByRole('link', { name: title, exact: true }).click()
}

/**
 * To another page of the dashboard as by a link: it is drawn without a reload, which takes four times as much of the
 * processor. What was read a moment ago is not read again, so what changes elsewhere needs a load.
 */
export async function follow(page: Page, href: string): Promise<void> {
  // A test that runs alone finds nothing loaded.
  if (page.url() === 'about:blank') await page.goto(href)
  else await page.evaluate(`history.pushState(null, '', ${JSON.stringify(href)})`)
}
