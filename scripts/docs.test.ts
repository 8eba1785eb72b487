import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { problemSlugs, problems } from '../contract/src/problems.ts'
import { layers } from './tidy/import-rules.ts'

const root = join(import.meta.dirname, '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const documents = globSync(['*.md', '{docs,deploy}/**/*.md', '{cli,sdk/*}/README.md'], { cwd: root })
const headings = (text: string) => [...text.matchAll(/^## (.+)$/gm)].map((heading) => heading[1])

describe('problem pages', () => {
  test.each(problemSlugs)(
    'the page of %s says title, status, meaning, cause and what to do, as the list does',
    (slug) => {
      const page = read(`docs/problems/${slug}.md`)
      const { status, title } = problems[slug]
      expect(page).toMatch(`# ${title}\n\nStatus ${status}, slug \`${slug}\`.\n`)
      expect(headings(page)).toEqual(['Meaning', 'Cause', 'What to do', 'Example'])
      // Served as HTML at /problems/<slug>, where a link to a file of the repository would lead nowhere.
      expect(page.replace(/`[^`]*`/g, '')).not.toMatch(/<[a-z]|\]\((?!https?:)/)

      const example = /```json\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
      expect(JSON.parse(example)).toMatchObject({
        type: `http://127.0.0.1:4400/problems/${slug}`,
        title,
        status,
        detail: expect.any(String),
        instance: expect.any(String),
      })
    },
  )

  test('the page on status codes lists each problem under its status', () => {
    const rows = read('docs/status-codes.md').split('\n')
    for (const slug of problemSlugs) {
      const row = rows.find((line) => line.startsWith(`| ${problems[slug].status} |`))
      expect(row).toContain(`[${slug}](problems/${slug}.md)`)
    }
  })
})

test('the page on settings lists exactly the environment variables that the configuration reads', () => {
  const mentioned = (text: string) => [...new Set(text.match(/\bASSAY_[A-Z_]+\b/g))].sort()
  const settings = read('docs/settings.md')
    .split('\n')
    .filter((line) => line.startsWith('| `ASSAY_'))
  const documented = settings.flatMap((line) => mentioned(line))
  const parts = globSync('server/src/platform/settings/*.ts', { cwd: root })
  const sources = ['server/src/config.ts', ...parts].map(read)
  expect(documented.sort()).toEqual(mentioned(sources.join('\n')))
})

describe('README', () => {
  test('has at most 500 words and a picture of at most 250 KB', () => {
    const text = read('README.md')
    const picture = /!\[[^\]]+\]\(([^)]+\.png)\)/.exec(text)?.[1] ?? ''
    expect(statSync(join(root, picture)).size).toBeLessThanOrEqual(250_000)
    const words = text
      .replace(/```[\s\S]*?```/g, '')
      .replace(/\]\([^)]*\)/g, ']')
      .match(/[\p{L}\d]\S*/gu)
    expect(words?.length).toBeLessThanOrEqual(500)
  })

  test('names the commands that the continuous integration runs, and those are all it runs', () => {
    const commands = read('.ci/run')
      .split('\n')
      .filter((line) => /^(?:npm|npx|node)\b/.test(line))
    expect(commands).toEqual(['npm ci', 'npm test'])
    for (const command of commands) expect(read('README.md')).toContain(command)
  })

  test('names only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = documents.flatMap((path) => [...read(path).matchAll(/\bnpm run ([a-z:-]+)/g)])
    for (const [, script] of named) expect(Object.keys(scripts)).toContain(script)
  })
})

describe('decisions', () => {
  const decisions = documents.filter((path) => path.startsWith('docs/decisions/'))

  test.each(decisions)('%s has a number, the four parts, and fits on a page', (path) => {
    const text = read(path)
    const number = /\/(\d{4})-[a-z-]+\.md$/.exec(path)?.[1]
    expect(text).toMatch(new RegExp(`^# ${number} `))
    expect(headings(text)).toEqual(['Situation', 'Choice', 'What we give up', 'When to look again'])
    // About what prints on one sheet; a table is looked up, not read.
    const lines = text.split('\n').filter((line) => !line.startsWith('| `'))
    expect(lines.length).toBeLessThanOrEqual(60)
  })

  test('numbers run from 0001 without a gap or a repeat', () => {
    const numbers = decisions.map((path) =>
      Number(path.slice('docs/decisions/'.length, -'-x.md'.length).slice(0, 4)),
    )
    expect(numbers.sort((a, b) => a - b)).toEqual(decisions.map((_, index) => index + 1))
  })

  test('every dependency has its line, and every line its dependency', () => {
    const manifests = globSync('{package.json,*/package.json,sdk/*/package.json,examples/*/package.json}', {
      cwd: root,
      exclude: ['node_modules'],
    })
    const used = manifests.flatMap((path) => {
      const { dependencies, devDependencies } = JSON.parse(read(path))
      return Object.keys({ ...dependencies, ...devDependencies })
    })
    const ours = (name: string) => name.startsWith('@assay/')
    const rows = read('docs/decisions/0005-dependencies.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
    const explained = rows.flatMap((row) =>
      [...(row.split(' | ')[0] ?? '').matchAll(/`([^`]+)`/g)].map((name) => name[1]),
    )
    expect(explained.sort()).toEqual([...new Set(used)].filter((name) => !ours(name)).sort())
  })
})

describe('commands that people copy', () => {
  const commented = globSync('examples/**/*.ts', { cwd: root })
  const lines = [...documents, ...commented].flatMap((path) =>
    read(path)
      .split('\n')
      .map((line) => ({ path, line })),
  )
  const withText = (text: RegExp) => lines.filter(({ line }) => text.test(line)).map(({ path }) => path)

  test('name the command by its package, except on the pages that say where the short name works', () => {
    const pages = new Set(withText(/npx (?:--yes )?assay\b/))
    expect([...pages].sort()).toEqual(['cli/README.md', 'docs/cli.md'])
  })

  test('run the examples with the Node that npm brought, since an older one does not read TypeScript', () => {
    expect(withText(/(?<!npx )\b(?:node|bun run) examples\//)).toEqual([])
  })

  test('install packages by the file names that they have now', () => {
    const { version } = JSON.parse(read('sdk/server/package.json'))
    const tarballs = lines.flatMap(({ line }) => line.match(/assay-\w+-[\d.]+\.tgz/g) ?? [])
    const now = ['browser', 'cli', 'server'].map((name) => `assay-${name}-${version}.tgz`)
    expect([...new Set(tarballs)].sort()).toEqual(now)
  })
})

test('CONTRIBUTING lists the modules by rank as the import rules have them', () => {
  const rows = [...read('CONTRIBUTING.md').matchAll(/^\| (\d) \| (.+) \|$/gm)]
  const listed = rows.map(([, rank, modules = '']) => ({
    rank: Number(rank),
    rooms: modules.replaceAll('`', '').split(', '),
  }))
  expect(listed).toEqual(layers)
})

test('every source file that a page names is there', () => {
  const pages = ['CONTRIBUTING.md', ...globSync('docs/*.md', { cwd: root })]
  const source =
    /`((?:bench|cli|contract|dashboard|engine-portable|scripts|sdk|server)\/[\w./-]+\.(?:tsx?|json|sql))`/g
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(source)]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every link in a document leads to a file of the repository', () => {
  const broken = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)]
      .map((link) => join(path, '..', link[1] ?? ''))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${path} → ${target}`),
  )
  expect(broken).toEqual([])
})

test('every link to a heading leads to one', () => {
  const anchorsOf = (path: string) =>
    [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\d _-]/gu, '')
        .replaceAll(' ', '-'),
    )
  const broken = documents.flatMap((path) =>
    [...read(path).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .map(([, page = '', anchor = '']) => ({ target: page === '' ? path : join(path, '..', page), anchor }))
      .filter(({ target, anchor }) => !anchorsOf(target).includes(anchor))
      .map(({ target, anchor }) => `${path} → ${target}#${anchor}`),
  )
  expect(broken).toEqual([])
})

describe('the page on security', () => {
  const page = read('docs/security.md')
  const named = [...page.matchAll(/`([\w./-]+\.test\.ts)`/g)].flatMap(([, path]) => path ?? [])

  test('names tests that exist, and no row of its threats without one', () => {
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([])
    const section = page.slice(page.indexOf('## Threats'), page.indexOf('## The hostile corpus'))
    const rows = section.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| threat'))
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter((row) => !/\.test\.ts`|`npm run \w+`/.test(row))).toEqual([])
  })
})
