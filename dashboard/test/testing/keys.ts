import type { Locator, Page } from 'playwright-core'

/** No page of ours has as many stops. */
const stopsMax = 250

/** Tab by Tab, as a person without a mouse gets there: what no Tab reaches fails. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let stop = 0; stop < stopsMax; stop += 1) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab leads to ${target}`)
}

/** To a button or a link, and Enter. */
export async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** To a field, and types. */
export async function typeInto(page: Page, label: string, words: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.type(words)
}

/** To a list with search: types, goes down to the choice, and takes it. */
export async function pickByKeys(page: Page, label: string, typed: string, option: string): Promise<void> {
  await tabTo(page, page.getByRole('combobox', { name: label, exact: true }))
  await page.keyboard.type(typed)
  await takeOption(page, option)
}

/** To a list of few choices: opens it, goes down to the choice, and takes it. */
export async function chooseByKeys(page: Page, label: string, option: string): Promise<void> {
  await tabTo(page, page.getByLabel(label, { exact: true }))
  await page.keyboard.press('Enter')
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Home')
  await takeOption(page, option)
}

const optionsMax = 30

/** By its words alone: behind them some say how many there are. */
export const optionOf = (page: Page, option: string): Locator =>
  page.getByRole('option').filter({ has: page.getByText(option, { exact: true }) })

/** Answers on their way may move the list, so each step looks. */
async function takeOption(page: Page, option: string): Promise<void> {
  const wanted = optionOf(page, option)
  await wanted.waitFor()
  const isThere = async () => (await wanted.getAttribute('data-highlighted')) !== null
  for (let step = 0; step < optionsMax && !(await isThere()); step += 1) {
    await page.keyboard.press('ArrowDown')
  }
  if (!(await isThere())) throw new Error(`no arrow leads to ${option}`)
  await page.keyboard.press('Enter')
}
