import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { violationsOn } from './watched-page.ts'
import { tryFormsIn } from './wrong-input.ts'

/** A machine that is busy with other test files takes its time over a page. */
const patienceMs = 60_000
const popup = ':is([role=dialog], [role=menu], [role=listbox]):visible'
/** What opens a dialog, a menu or a list. A field suggests while it is typed in, which other tests do. */
const opener = '[aria-haspopup]:not([role=dialog] *, input, [disabled])'
const field = ':is(input:not([type=hidden]), select, textarea, [role=combobox]):not(:disabled)'
/** A dialog of a form opens when the form is filled in. */
const ofForm = 'main form [aria-haspopup=dialog]'

/** Nothing of it is off the screen; what is longer is scrolled inside. */
const isOnScreen = (
  { x, y, width, height }: { x: number; y: number; width: number; height: number },
  page: Page,
) => {
  const size = page.viewportSize()
  return size !== null && x >= -1 && y >= -1 && x + width <= size.width + 1 && y + height <= size.height + 1
}

/**
 * Opens every dialog, menu and list of a page that was not open before, by keys: it is read by screen readers, fits
 * the screen, answers junk in words, closes with Escape and gives the focus back.
 */
export async function tryPopups(
  page: Page,
  href: string,
  look: string,
  tried: Set<string>,
): Promise<string[]> {
  const findings: string[] = []
  const openers = page.locator(opener)
  const names: string[] = await openers.evaluateAll(
    (all, form) =>
      all.map((one) => {
        const [kind, role] = [one.getAttribute('aria-haspopup'), one.getAttribute('role')]
        const isSkipped = one.matches(form) || one.closest('[inert], [hidden]') !== null
        // Selects are all of one kit: one of them in each look is enough.
        return isSkipped ? '' : role === 'combobox' ? 'list' : `${kind} ${one.textContent}`
      }),
    ofForm,
  )
  for (const [index, name] of names.entries()) {
    const key = name === 'list' ? `${name} ${look}` : name
    if (name === '' || tried.has(key)) continue
    tried.add(key)
    const found = await tryPopup(page, openers.nth(index))
    findings.push(...found.map((finding) => `${href}, ${name}: ${finding}`))
  }
  return findings
}

/** A dialog of the kit begins in its first field, also when that is loaded after it has opened. */
async function expectFieldFocused(opened: Locator): Promise<void> {
  if (!(await opened.evaluate((one) => one.classList.contains('dialog')))) return
  const first = opened.locator(`${field} >> nth=0`)
  if ((await first.count()) === 0) return
  const isFocused = () => first.evaluate((one) => one === one.ownerDocument.activeElement)
  await expect.poll(isFocused, { timeout: patienceMs }).toBe(true)
}

async function tryPopup(page: Page, button: Locator): Promise<string[]> {
  if (!(await button.isVisible())) return []
  await button.focus()
  await page.keyboard.press('Enter')
  const opened = page.locator(popup).last()
  await opened.waitFor()
  await expect.poll(() => page.locator('.bone').count(), { timeout: patienceMs }).toBe(0)
  await expectFieldFocused(opened)
  await opened.evaluate((one) => one.setAttribute('data-inspected', ''))
  // Of it alone, which costs less than the whole page again.
  const violations = await violationsOn(page, '[data-inspected]')
  // A list stays where it is, unseen, when it is closed.
  await opened.evaluate((one) => one.removeAttribute('data-inspected'))
  const box = await opened.boundingBox()
  const findings = [...violations, ...(box !== null && isOnScreen(box, page) ? [] : ['is not on the screen'])]
  findings.push(...(await tryFormsIn(page, '[role=dialog] form:has(input, textarea)')))
  // What was accepted has closed its dialog, and maybe removed the row that it was opened from.
  if ((await page.locator(popup).count()) === 0) return findings
  await page.keyboard.press('Escape')
  await expect.poll(() => page.locator(popup).count(), { timeout: patienceMs }).toBe(0)
  const isBack = () => button.evaluate((one) => one === one.ownerDocument.activeElement)
  await expect.poll(isBack, { timeout: patienceMs }).toBe(true)
  return findings
}
