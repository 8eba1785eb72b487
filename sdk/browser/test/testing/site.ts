import { createServer } from 'node:http'
import { type Browser, chromium } from 'playwright-core'

/**
 * Debian's package, installed by scripts/setup.ts: Chromium without windows, tabs and menus, which take half of the
 * processor time of a page and are looked at by no test.
 */
const executablePath = '/usr/bin/chromium-headless-shell'

export async function openBrowser(): Promise<Browser> {
  // Root cannot use Chromium's sandbox, and containers have little shared memory. Drawn by a thread of the browser
  // instead of a process of its own, a page takes a fifth less of the processor.
  const args = ['--no-sandbox', '--disable-dev-shm-usage', '--in-process-gpu']
  const browser = await chromium.launch({ executablePath, args })
  const newContext = browser.newContext.bind(browser)
  // What moves while a page waits for data is drawn sixty times a second, which no test looks at.
  browser.newContext = (options) => newContext({ reducedMotion: 'reduce', ...options })
  return browser
}

/** A web site with a separate origin, so that every call to the product is cross-origin, as for customers. */
export type Site = {
  url: string
  /** Returns the URL of a page with this content. */
  page: (html: string) => string
  close: () => Promise<void>
}

export async function openSite(): Promise<Site> {
  const pages = new Map<string, string>()
  const server = createServer((request, response) => {
    const html = pages.get((request.url ?? '/').split('?', 1)[0] ?? '/')
    response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' })
    response.end(html ?? '<!doctype html><title>Not here</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
  return {
    url,
    page(html) {
      const path = `/page-${pages.size + 1}`
      pages.set(path, html)
      return url + path
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
