import { expect, test } from 'vitest'
import { standardByName } from '../../registry/catalog.ts'
import { defaultRules } from './default-rules.ts'
import { compileMapping } from './mapping.ts'
import { toSnakeCase } from './names.ts'

/** The ten of the specification. */
const specified = {
  order_completed: '$purchase',
  registration_complete: '$signup',
  user_login: '$login',
  plan_upgraded: '$upgrade',
  subscription_started: '$subscribe',
  query_searched: '$search',
  file_downloaded: '$download',
  content_shared: '$share',
  nps_submitted: '$feedback',
  account_cancelled: '$churn',
}

test('the default rules hold the ten of the specification, and each tool has its own', () => {
  const seeds = defaultRules
    .filter((rule) => rule.origin === 'seed')
    .map((rule) => [rule.source, rule.target])
  expect(Object.fromEntries(seeds)).toEqual(specified)
  const origins = new Set(defaultRules.map((rule) => rule.origin))
  expect([...origins]).toEqual(['seed', 'kin', 'ga4', 'segment', 'mixpanel', 'amplitude'])
})

test('every default rule has an id of its own, a source of its own and a standard target', () => {
  expect(new Set(defaultRules.map((rule) => rule.id)).size).toBe(defaultRules.length)
  expect(new Set(defaultRules.map((rule) => toSnakeCase(rule.source))).size).toBe(defaultRules.length)
  for (const { source, target, id } of defaultRules) {
    expect(standardByName.has(target), id).toBe(true)
    expect(source.startsWith('$'), id).toBe(false)
    expect(id).toMatch(/^map_[a-z0-9]+_[a-z0-9_]+$/)
  }
})

test('a default rule moves properties only onto those that its target has', () => {
  for (const { target, propertyMap = {}, id } of defaultRules) {
    const canonical = Object.keys(standardByName.get(target)?.properties ?? {})
    expect(canonical, id).toEqual(expect.arrayContaining([...new Set(Object.values(propertyMap))]))
    for (const source of Object.keys(propertyMap)) expect(canonical, id).not.toContain(source)
  }
})

test('no name of another tool is lost between its spelling and its rule', () => {
  const { standard } = compileMapping(defaultRules)
  const names = {
    $purchase: [
      'Order Completed',
      'purchase',
      'in_app_purchase',
      'transaction',
      'buy_item',
      'checkout_success',
      'Purchase Completed',
    ],
    $signup: ['sign_up', 'Signed Up', 'Sign Up', 'signup_completed', 'Account Created'],
    $login: ['login', 'Signed In', 'Logged In', 'userLogin'],
    $refund: ['refund', 'Order Refunded'],
    $search: ['search', 'view_search_results', 'Products Searched', 'Search'],
    $share: ['share', 'Product Shared', 'Content Shared'],
    $download: ['file_download', 'File Downloaded', '[Amplitude] File Downloaded'],
    $pageview: [
      'page_view',
      'Page View',
      'Page Viewed',
      'screen_view',
      'Loaded a Page',
      '[Amplitude] Page Viewed',
    ],
    $session_start: ['session_start', 'Session Started'],
    $form_submit: ['form_submit', 'Form Submitted'],
    $click: ['click', 'Button Clicked', 'Element Clicked'],
    $churn: ['Subscription Cancelled', 'Subscription Canceled', 'Account Deleted'],
  }
  for (const [target, sources] of Object.entries(names)) {
    for (const source of sources) expect(standard.get(toSnakeCase(source))?.rule.target, source).toBe(target)
  }
})

test.each([
  ['Order Completed', 'order_completed'],
  ['order-completed', 'order_completed'],
  ['orderCompleted', 'order_completed'],
  ['NPSSubmitted', 'nps_submitted'],
  ['NPS Submitted', 'nps_submitted'],
  ['step2Done', 'step2_done'],
  ['  Sign   Up ', 'sign_up'],
  ['already_snake', 'already_snake'],
  ['order.completed', 'order.completed'],
])('the name %j is read as %s', (name, normalised) => {
  expect(toSnakeCase(name)).toBe(normalised)
})
