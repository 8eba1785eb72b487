import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { batch, resolveIdentity } from '@assay/contract'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { text } from './all-text.ts'
import { follow } from './choose.ts'
import type { Stage } from './watch-tasks.ts'

/** What no form may trip over. */
const junk = {
  long: 'x'.repeat(10_000),
  hostile: `<img src=x onerror="window.wasTaken = true">\u202E\0\u{1F9EA}'";-- {"a":`,
  // The last, so that a form is left as its page shows it first.
  nothing: '',
}

/** Pages behind those of the menu that have a form. */
const inside = [
  'registry/new',
  'audiences/new',
  'funnels/own',
  'attribution/policy',
  'attribution/explain',
  'event-health/settings',
  'event-health/duplicates',
]

/** Truncated, mistyped and invented links. */
const nonsense = [
  'window=soon&timezone=Mars/Phobos&days=-1&status=x&series=x&group=x&interval=x&steps=%7B&show=x&node=x&version=x',
  'from=2026-02-31&to=1&id=%00&q=%E0%A4%A&type=x&value=%00&event=%3Cb%3E&code=x&path=%25&audience=x&session=%00',
]

/**
 * Runs in the page: types into every field of a form, submits it, waits for the answer, and returns what is
 * wrong. An accepted form may be gone; a refused one shows why at the field, keeps the input, and focuses the
 * first error.
 */
const tryForm = `async ({ forms, index, typed, mustMark }) => {
  const tick = () => new Promise((resolve) => setTimeout(resolve, 10))
  const form = document.querySelectorAll(forms)[index]
  if (form === undefined) return []
  const kinds = 'textarea, input:is([type=text], [type=search], [type=email], [type=password])'
  const fields = [...form.elements].filter((field) => field.matches(kinds))
  for (const field of fields) {
    const { set } = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')
    set.call(field, typed)
    field.dispatchEvent(new Event('input', { bubbles: true }))
    await tick()
  }
  const address = location.href
  form.requestSubmit()
  await tick()
  while (form.isConnected && form.getAttribute('aria-busy') === 'true') await tick()
  await tick()
  if (!form.isConnected || location.href !== address) return []
  const marked = [...form.elements].filter((field) => field.getAttribute('aria-invalid') === 'true')
  const isRefused = marked.length > 0 || form.querySelector('[role=alert]') !== null
  const wordsOf = (field) => document.getElementById(field.getAttribute('aria-describedby').split(' ')[0])
  return [
    ...(form.noValidate ? [] : ['leaves it to the browser what is said']),
    ...(mustMark && marked.length === 0 && fields.some(({ required }) => required) ? ['takes nothing'] : []),
    ...marked.filter((field) => !wordsOf(field)?.textContent).map(({ name }) => name + ': has no words'),
    ...(marked.length > 0 && document.activeElement !== marked[0] ? ['the focus is not at what is wrong'] : []),
    ...(isRefused && fields.some(({ value }) => value !== typed) ? ['lost what was typed'] : []),
  ]
}`

/** What is amiss with the forms of the page, with each kind of junk. */
export async function tryForms({ page }: Stage, href: string): Promise<string[]> {
  const folded = page.locator('main button[aria-expanded=false]:not([aria-haspopup])')
  for (let left = await folded.count(); left > 0; left--) await folded.first().click()
  const found = await tryFormsIn(page, 'main form')
  return found.map((finding) => `${href}, ${finding}`)
}

export async function tryFormsIn(page: Page, forms: string): Promise<string[]> {
  const findings: string[] = []
  const count = await page.locator(forms).count()
  for (let index = 0; index < count; index++) {
    for (const [kind, typed] of Object.entries(junk)) {
      const given = JSON.stringify({ forms, index, typed, mustMark: kind === 'nothing' })
      const found: string[] = await page.evaluate(`(${tryForm})(${given})`)
      findings.push(...found.map((finding) => `form ${index + 1}, ${kind}: ${finding}`))
    }
  }
  return findings
}

export function wrongInputTasks(stage: () => Stage, taskMs: number): void {
  test('every field of the dashboard is made of the kit, which shows at the field what is wrong', () => {
    const root = join(import.meta.dirname, '../../src')
    const files = ['pages', 'shell'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.tsx'))
        .map((name) => join(folder, name)),
    )
    expect(files.length).toBeGreaterThan(50)
    const strays = files.filter((file) =>
      /<form\b|<textarea\b|<input\b(?![^>]*type="range")/.test(readFileSync(join(root, file), 'utf8')),
    )
    expect(strays).toEqual([])
  })
  test('secondary forms show wrong input at the field, and lose nothing', () => tryInside(stage()), taskMs)
  test('a link with nonsense in it leads to words', () => followNonsense(stage()), taskMs)
}

async function tryInside(given: Stage): Promise<void> {
  const { page, at, shop, settled } = given
  const body = { identifiers: [{ type: 'user_id', value: 'user-ada' }], read_only: true }
  const { person_id } = (await shop.call(resolveIdentity, { body })).body
  const findings: string[] = []
  const unknown = {
    event: 'nobody_knows_it',
    event_id: 'event-nobody-knows',
    user_id: 'user-ada',
    properties: {},
  }
  await shop.call(batch, { body: { batch: [unknown] } }, { key: shop.keys.secret })
  await shop.settle()
  for (const place of [...inside, `people/${person_id}`, `quarantine?event=${unknown.event}`]) {
    await follow(page, at(place))
    await page.locator('main form').first().waitFor()
    await settled()
    findings.push(...(await tryForms(given, place)))
  }
  expect(findings).toEqual([])
  expect(await page.evaluate('window.wasTaken')).toBeUndefined()
}

async function followNonsense({ page, at, settled }: Stage): Promise<void> {
  const pages = [
    'overview',
    'funnels',
    'funnels/own',
    'flow',
    'retention',
    'attribution',
    'errors',
    'quarantine',
  ]
  const others = ['event-health', 'people', 'replays', 'receipts', 'registry/%E0%A4%A', 'events', 'code']
  for (const [index, name] of [...pages, ...others, 'no-such-page'].entries()) {
    await follow(page, at(`${name}?${nonsense[index % nonsense.length]}`))
    await page.locator('main .content :is(h1, .state strong)').first().waitFor()
  }
  await page.goto(at(`overview?${nonsense[0]}`))
  await settled()
  await page.getByRole('alert').getByText(text.states.invalid, { exact: true }).waitFor()
}
