import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import Fastify, { type FastifyInstance } from 'fastify'
import MiniSearch from 'minisearch'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from '../../sdk/browser/test/testing/site.ts'
import { makeDocs, openDocsAssets } from '../../server/src/http/assets/docs-assets.ts'
import { docsRoutes } from '../../server/src/http/assets/docs-routes.ts'
import { groupsOf, sitePathOf } from '../src/contents.ts'
import { indexOptions, type Section } from '../src/search-options.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** In the page. Without `preload` axe loads the style sheets again, for experimental rules that it leaves out. */
const violations = `
  axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] } })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html))`

const root = join(import.meta.dirname, '..', '..')
const docs = join(root, 'docs')
const place = mkdtempSync(join(tmpdir(), 'assay-docs-'))
const app: FastifyInstance = Fastify()
let folder = ''
let url = ''
let browser: Browser

beforeAll(async () => {
  folder = await makeDocs(join(place, 'docs-site'))
  docsRoutes(app, openDocsAssets(place))
  url = await app.listen({ host: '127.0.0.1', port: 0 })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser.close()
  await app.close()
  rmSync(place, { recursive: true })
})

const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const pages = () => globSync('**/*.html', { cwd: folder })

describe('pages', () => {
  const listed = groupsOf(readFileSync(join(docs, 'README.md'), 'utf8')).flatMap(({ entries }) => entries)

  test.each(listed)('$title of the list of pages is served', async ({ path }) => {
    const answer = await app.inject(`/docs/${sitePathOf(path)}`)
    expect(answer.statusCode).toBe(200)
    if (!path.endsWith('.md')) return
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
    // Also by its plain name, as people write an address.
    expect((await app.inject(`/docs/${path.slice(0, -'.md'.length)}`)).body).toBe(answer.body)
  })

  test('show braces as they are written', () => {
    expect(read('guides/vue.html')).toContain('{{ plan }}')
  })

  test('are those of the repository and of the reference, and the contents list every task', () => {
    const written = globSync('**/*.md', { cwd: docs }).map(sitePathOf)
    expect(pages()).toEqual(expect.arrayContaining(written))
    const [tasks, contents] = [
      written.filter((path) => !/^(?:problems|decisions)\/|^index/.test(path)),
      listed.map(({ path }) => sitePathOf(path)),
    ]
    expect(contents).toEqual(expect.arrayContaining(tasks))
  })

  test('an address without its slash leads to the folder, and an unknown one is not found', async () => {
    for (const path of ['/docs', '/docs/problems', '/docs/api']) {
      const { statusCode, headers } = await app.inject(path)
      expect([statusCode, headers.location]).toEqual([308, `${path}/`])
    }
    for (const path of [
      'none',
      'tour.html.gz',
      'tour.md',
      '../package.json',
      '..%2f..%2fpackage.json',
      'a/b/c',
    ]) {
      expect((await app.inject(`/docs/${path}`)).statusCode, path).toBe(404)
    }
  })

  test('files whose name has their hash are stored for good, pages are asked for again', async () => {
    const [script = ''] = /assets\/site-\w+\.js/.exec(read('index.html')) ?? []
    expect((await app.inject(`/docs/${script}`)).headers['cache-control']).toContain('immutable')
    expect((await app.inject('/docs/')).headers['cache-control']).toBe('no-cache')
  })
})

describe('links', () => {
  test('to pages, headings, pictures and files of the site lead somewhere', () => {
    const idsOf = (path: string) => [...read(path).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    const broken = pages().flatMap((page) =>
      [
        ...read(page).matchAll(/ (?:href|src|data-index)="(?!https?:|mailto:)([^"#]*)(?:#([^"]*))?"/g),
      ].flatMap(([, link = '', anchor]) => {
        const path = link === '' ? page : posix.join(posix.dirname(page), link)
        const file = path.endsWith('/') ? `${path}index.html` : path
        const isThere = existsSync(join(folder, file)) && (!anchor || idsOf(file).includes(decodeURI(anchor)))
        return isThere ? [] : `${page} → ${link}#${anchor}`
      }),
    )
    expect(broken).toEqual([])
  })

  test('stay on the site: none leads to a Markdown file or out of the folder', () => {
    const links = pages().flatMap((page) =>
      [...read(page).matchAll(/href="([^"]+)"/g)].map(([, link]) => link),
    )
    expect(
      links.filter((link) => /\.md\b|\/\.\.\/\.\./.test(link ?? '') && !/^https?:/.test(link ?? '')),
    ).toEqual([])
  })
})

describe('the reference', () => {
  test('has a heading, method and path for every operation of the OpenAPI document', () => {
    const { paths } = JSON.parse(readFileSync(join(docs, 'openapi.json'), 'utf8'))
    const text = globSync('api/*.html', { cwd: folder }).map(read).join('\n')
    for (const [path, methods] of Object.entries<object>(paths)) {
      for (const method of Object.keys(methods)) {
        const route = `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`
        expect(text, route).toContain(`${route}\n</code></pre>`)
      }
    }
  })

  test('shows members of nested objects with type and description', () => {
    const page = read('api/identity.html')
    expect(page).toContain('<code>data[].identifiers[].value</code>')
    expect(page).toContain('Strongest first, at most 5')
    expect(page).toContain('<a href="../problems/not-found.html">not-found</a>')
  })
})

describe('search', () => {
  test('finds a section by a word of its text, and its page by the title', () => {
    const [file = ''] = globSync('assets/search-*.json', { cwd: folder })
    const index = MiniSearch.loadJSON<Section>(read(file), indexOptions)
    const found = (words: string) => index.search(words).map(({ path }) => path)
    expect(found('rawBody')).toContain('server-sdk.html#webhooks')
    expect(found('quarantine')[0]).toMatch(/^quarantine\.html/)
    expect(found('listPeople nowhere')).toEqual([])
  })

  test('works in a browser by keyboard, within the content security policy', async () => {
    const page = await browser.newPage()
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    const answer = await page.goto(`${url}/docs/problems/conflict.html`)
    expect(answer?.headers()['content-security-policy']).toContain("script-src 'self'; style-src 'self'")

    await page.keyboard.press('/')
    await page.keyboard.type('reverse a merge')
    await page.locator('.result').first().waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('.result[aria-selected=true]').count()).toBe(1)
    await Promise.all([page.waitForURL(/\/docs\/identity\.html/), page.keyboard.press('Enter')])
    expect(await page.locator('.contents [aria-current=page]').textContent()).toBe('Identity')
    expect(complaints).toEqual([])
    await page.close()
  })

  test.each(['light', 'dark'] as const)(
    'has nothing that a screen reader cannot use, %s',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme })
      const page = await context.newPage()
      for (const path of ['', 'guides/vue', 'accounts', 'api/sites.html']) {
        await page.goto(`${url}/docs/${path}`)
        await page.evaluate(axe)
        const found = await page.evaluate<string[]>(violations)
        expect(found).toEqual([])
      }
      await context.close()
    },
  )

  test('an inline script does not run on a page of the docs', async () => {
    const page = await browser.newPage()
    await page.goto(`${url}/docs/`)
    const isRun = await page.evaluate(`
      const script = document.createElement('script')
      script.textContent = 'document.documentElement.dataset.ran = "yes"'
      document.head.append(script)
      document.documentElement.dataset.ran === 'yes'
    `)
    expect(isRun).toBe(false)
    await page.close()
  })
})
