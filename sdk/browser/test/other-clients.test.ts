import { createServer, request as sendRequest } from 'node:http'
import { build, stop } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestWorkspace } from '../../../server/src/testing/harness.ts'
import { type Lab, openLab, snippetPage } from './testing/lab.ts'

/** Browser clients of other tools on a page of another origin, with host and key changed and nothing else. */
let lab: Lab
let ours: TestWorkspace

beforeAll(async () => {
  lab = await openLab()
})
afterAll(async () => {
  await lab?.close()
  await stop()
})

const count = 1_000
const isThere = { timeout: 60_000 }

async function open(program: string): Promise<void> {
  const { outputFiles } = await build({
    stdin: { contents: program, resolveDir: import.meta.dirname },
    bundle: true,
    write: false,
    format: 'iife',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  // Inside an HTML page a closing script tag ends the script.
  const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script')
  const page = await (await lab.browser.newContext()).newPage()
  await page.goto(lab.site.page(`<!doctype html><title>Other</title><body><script>${script}</script>`))
  await page.waitForFunction('window.isDone === true', undefined, isThere)
}

type Counted = Readonly<Record<string, number>>

async function counted(): Promise<Counted> {
  const stored = await lab.stored(ours)
  const names = new Set(stored.map(({ name }) => name))
  return Object.fromEntries(
    [...names].map((name) => [name, stored.filter((one) => one.name === name).length]),
  )
}

test('posthog-js has its page view, its user and its events stored', async () => {
  ours = await lab.world.newWorkspace()
  await open(`
    import posthog from 'posthog-js/dist/module.no-external.js'
    posthog.init('${ours.keys.public}', {
      api_host: '${lab.world.product.url}',
      autocapture: false, capture_pageleave: false, request_queue_config: { flush_interval_ms: 250 },
      // A browser that is driven by a program is a bot to it.
      opt_out_useragent_filter: true,
      // So many in a moment it would drop itself.
      rate_limiting: { events_per_second: 10_000, events_burst_limit: 100_000 },
      loaded: (client) => {
        client.identify('u_9', { plan: 'pro' })
        for (let n = 0; n < ${count}; n++) client.capture('user_logged_in', { method: 'm' + n })
        window.isDone = true
      },
    })`)
  const stored = await lab.storedWith(ours, '$login', count)
  expect(await counted()).toMatchObject({ $login: count, $identify: 1, $pageview: 1 })
  const logins = stored.filter(({ name }) => name === '$login')
  expect(new Set(logins.map(({ user_id }) => user_id))).toEqual(new Set(['u_9']))
  expect(logins.map(({ properties }) => String(properties.method)).toSorted()).toEqual(
    Array.from({ length: count }, (_, n) => `m${n}`).toSorted(),
  )
})

test('posthog-js as it is installed finds every address that it asks for', async () => {
  ours = await lab.world.newWorkspace()
  const host = lab.world.product.url
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import posthog from 'posthog-js'
        posthog.init('${ours.keys.public}', {
          api_host: '${host}', opt_out_useragent_filter: true, request_queue_config: { flush_interval_ms: 250 } })`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    write: false,
    format: 'iife',
  })
  const page = await (await lab.browser.newContext()).newPage()
  const answers = new Map<string, number>()
  page.on('response', (response) => {
    const { origin, pathname } = new URL(response.url())
    if (origin === host) answers.set(pathname.replace(ours.keys.public, 'key'), response.status())
  })
  const script = (outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script')
  await page.goto(lab.site.page(`<!doctype html><title>Other</title><body><script>${script}</script>`))
  await page.waitForFunction(`window._POSTHOG_REMOTE_CONFIG?.['${ours.keys.public}']?.config`)
  await lab.storedWith(ours, '$pageview')
  expect(answers.get('/array/key/config.js')).toBe(200)
  expect([...answers].filter(([, status]) => status >= 400)).toEqual([])
})

test('plausible-tracker has its page views and goals stored', async () => {
  ours = await lab.world.newWorkspace()
  await open(`
    import Plausible from 'plausible-tracker'
    const { trackPageview, trackEvent } = Plausible({
      domain: '${ours.keys.public}', apiHost: '${lab.world.product.url}', trackLocalhost: true })
    const done = (send) => new Promise((resolve) => send({ callback: resolve }))
    ;(async () => {
      await done((options) => trackPageview({ url: 'https://shop.example/sale', referrer: null }, options))
      for (let n = 0; n < ${count}; n++)
        await done((options) => trackEvent('login', { ...options, props: { method: 'm' + n } }))
      window.isDone = true
    })()`)
  await lab.storedWith(ours, '$login', count)
  expect(await counted()).toEqual({ $login: count, $pageview: 1 })
})

test('mixpanel-browser has its page view, its user and its events stored', async () => {
  ours = await lab.world.newWorkspace()
  await open(`
    import mixpanel from 'mixpanel-browser/src/loaders/loader-module-core.js'
    mixpanel.init('${ours.keys.public}', {
      api_host: '${lab.world.product.url}', track_pageview: true, batch_flush_interval_ms: 100, ignore_dnt: true })
    mixpanel.identify('u_9')
    mixpanel.people.set({ plan: 'pro' })
    for (let n = 0; n < ${count}; n++) mixpanel.track('Log In', { method: 'm' + n })
    window.isDone = true`)
  const stored = await lab.storedWith(ours, '$login', count)
  expect(await counted()).toMatchObject({ $login: count, $pageview: 1 })
  const logins = stored.filter(({ name }) => name === '$login')
  expect(new Set(logins.map(({ user_id }) => user_id))).toEqual(new Set(['u_9']))
})

test('our own script behind a path of the site sends there, and nowhere else', async () => {
  ours = await lab.world.newWorkspace()
  // As the proxy of a site does it: /stats/… is the product.
  const proxy = createServer((request, response) => {
    if (request.url?.startsWith('/stats/') !== true) {
      response.writeHead(200, { 'content-type': 'text/html' })
      return void response.end(snippetPage('/stats', ours.keys.public, '<h1>Shop</h1>'))
    }
    const target = new URL(request.url.replace('/stats', ''), lab.world.product.url)
    const forwarded = sendRequest(target, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    request.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  try {
    const address = proxy.address()
    const origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const page = await (await lab.browser.newContext()).newPage()
    const asked = new Set<string>()
    page.on('request', (request) => asked.add(new URL(request.url()).origin))
    await page.goto(`${origin}/`)
    await page.waitForFunction('window.assay && window.assay.track')
    await page.evaluate("assay.track('login', { method: 'google' })")
    await lab.storedWith(ours, '$login', 1)
    expect([...asked]).toEqual([origin])
  } finally {
    proxy.closeAllConnections()
    await new Promise((resolve) => proxy.close(resolve))
  }
})
