import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { text } from './all-text.ts'
import { choose, follow } from './choose.ts'
import type { Stage } from './watch-tasks.ts'

const looks = [
  { width: 390, scheme: 'dark' },
  { width: 820, scheme: 'light' },
  { width: 1440, scheme: 'dark' },
] as const
const dialogOf = (page: Page) => page.getByRole('dialog')

/** What a form shows only when it is filled in: what it asks before it does something, and what it shows once. */
type Filled = {
  path: string
  name: string
  open: (page: Page) => Promise<unknown>
  /** What it shows then. */
  shown: (page: Page) => Locator
}

const typed = (page: Page, label: string, value: string) =>
  page.getByLabel(label, { exact: true }).fill(value)
const press = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true }).click()

const all: readonly Filled[] = [
  {
    path: 'requests',
    name: 'a person to forget',
    open: async (page) => {
      await typed(page, text.people.value, 'per_01J9ZK3W6V0000000000000000')
      await press(page, text.requests.forget)
    },
    shown: (page) => dialogOf(page).getByText(text.requests.forgetMeans, { exact: true }),
  },
  {
    path: 'settings/retention',
    name: 'a shorter time to keep events',
    open: async (page) => {
      await choose(page, text.dataRetention.keep, text.dataRetention.days('30'))
      await press(page, text.dataRetention.saveShorter)
    },
    shown: (page) => dialogOf(page).getByRole('heading', { name: text.dataRetention.ask('30'), exact: true }),
  },
  {
    path: 'settings/api-keys',
    name: 'a key, shown once',
    open: async (page) => {
      await typed(page, text.keys.name, 'Of the warehouse')
      await press(page, text.keys.mint)
    },
    shown: (page) => page.getByText(text.keys.once, { exact: true }),
  },
  {
    path: 'settings/members',
    name: 'the link of an invitation',
    open: async (page) => {
      await typed(page, text.members.email, 'new.colleague@shop.example')
      await press(page, text.members.invite)
    },
    shown: (page) => page.getByText(text.members.handOver('new.colleague@shop.example'), { exact: true }),
  },
  {
    path: 'settings/destinations',
    name: 'the secret of a destination, shown once',
    open: async (page) => {
      await press(page, text.destinations.add)
      await typed(page, text.destinations.name, 'Lake')
      await typed(page, text.destinations.url, 'https://lake.invalid/')
      await page
        .locator('main form')
        .getByRole('button', { name: text.destinations.add, exact: true })
        .click()
    },
    shown: (page) => page.getByText(text.destinations.once, { exact: true }),
  },
  {
    path: 'overview',
    name: 'a new link for others',
    open: async (page) => {
      await press(page, text.shares.share)
      await press(dialogOf(page), text.shares.create)
    },
    shown: (page) => dialogOf(page).getByText(text.shares.created, { exact: true }),
  },
]

/** Dialogs and notes behind a form that is filled in: read by screen readers, and on the screen of every size. */
export function filledTasks(stage: () => Stage, taskMs: number): void {
  test.each(all)(
    '$name is clear to a screen reader, and fits',
    (filled) => expectClear(stage(), filled),
    taskMs,
  )
}

async function expectClear(stage: Stage, { path, name, open, shown }: Filled): Promise<void> {
  const { page, at, settled, inspect, patienceMs } = stage
  await follow(page, at(path))
  await settled()
  await open(page)
  await shown(page).waitFor()
  const findings: string[] = []
  for (const { width, scheme } of looks) {
    await page.setViewportSize({ width, height: 844 })
    await page.emulateMedia({ colorScheme: scheme })
    // The heading of a page is hidden while a dialog is open.
    await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
    findings.push(...(await inspect(`${name} at ${width}`)))
    await shown(page).scrollIntoViewIfNeeded()
    const box = await shown(page).boundingBox()
    if (box === null || box.x < -1 || box.x + box.width > width + 1)
      findings.push(`${name} at ${width}: cut off`)
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 900 })
  if ((await dialogOf(page).count()) > 0) {
    await page.keyboard.press('Escape')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
  }
  expect(findings).toEqual([])
}
