import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { text } from './all-text.ts'
import { follow } from './choose.ts'
import type { Stage } from './watch-tasks.ts'

const widths = [1440, 768, 390] as const

/** What pages show only once something is chosen or asked: findings of a check, drop-offs; and all sites. */
export function openedTasks(stage: () => Stage, taskMs: number): void {
  let server: Server
  beforeAll(async () => {
    server = createServer((_, response) => {
      const body = '<!doctype html><html><head><title>Shop</title></head><body>Hello</body></html>'
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  test(
    'names of pages that do not fit are in a menu, and none is cut off',
    () => expectFolded(stage()),
    taskMs,
  )
  test(
    'all sites, the findings of a check and where people went instead are clear to a screen reader, and fit',
    async () => {
      const { page, at, settled, patienceMs } = stage()
      await follow(page, at('sites'))
      await settled()
      await expectFit(stage(), 'sites')
      // boundary: a server that listens on a port has such an address.
      const { port } = server.address() as AddressInfo
      await follow(page, at('start'))
      await settled()
      await page.getByLabel(text.start.check.url, { exact: true }).fill(`http://127.0.0.1:${port}/`)
      await page.getByRole('button', { name: text.start.check.act, exact: true }).click()
      await page.getByText(text.start.check.read(`http://127.0.0.1:${port}/`), { exact: true }).waitFor()
      await expect
        .poll(() => page.locator('.note.reject').count(), { timeout: patienceMs })
        .toBeGreaterThan(0)
      await expectFit(stage(), 'start, checked')
      const steps = encodeURIComponent(JSON.stringify([{ event: '$pageview' }, { event: '$purchase' }]))
      await follow(page, at(`funnels/own?window=30d&timezone=UTC&steps=${steps}&left=1`))
      await page.getByRole('heading', { name: text.funnels.instead(1), exact: true }).waitFor()
      await settled()
      await expectFit(stage(), 'drop-off')
    },
    taskMs,
  )
}

/** No name of a page is cut off; those that do not fit are in a menu, which says where you are. */
async function expectFolded({ page, at, settled, patienceMs }: Stage): Promise<void> {
  const nav = page.getByRole('navigation', { name: text.shell.areas.quality, exact: true })
  const cutOff = () =>
    nav.getByRole('link').evaluateAll((links) =>
      links
        .filter((link) => {
          const [own, row] = [link.getBoundingClientRect(), link.parentElement?.getBoundingClientRect()]
          return row === undefined || own.right > row.right + 1 || own.bottom > row.bottom + 1
        })
        .map((link) => link.textContent),
    )
  const more = nav.getByRole('button')
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(at('event-health'))
    await settled()
    await expect.poll(cutOff, { timeout: patienceMs }).toEqual([])
    expect(await more.count()).toBe(width === 1440 ? 0 : 1)
  }
  expect(await nav.getByRole('link').count()).toBeLessThan(5)
  await more.click()
  await page.getByRole('menuitem', { name: text.pages.code, exact: true }).click()
  await page.getByRole('heading', { name: text.pages.code, level: 1, exact: true }).waitFor()
  await more.filter({ hasText: text.pages.code }).waitFor()
  await page.setViewportSize({ width: 1280, height: 900 })
}

async function expectFit({ page, settled, inspect }: Stage, name: string): Promise<void> {
  const findings: string[] = []
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme: width === 768 ? 'dark' : 'light' })
    await settled()
    findings.push(...(await inspect(`${name} at ${width}`)))
  }
  await page.setViewportSize({ width: 1280, height: 900 })
  expect(findings).toEqual([])
}
