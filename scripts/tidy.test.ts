import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { inspect, readRepository } from './tidy.ts'

/** Inspects a repository of these files and answers `file:line rule`. */
function tidy(files: Record<string, string>): string[] {
  return inspect(new Map(Object.entries(files))).map(({ file, line, rule }) => `${file}:${line} ${rule}`)
}

/** The result for one file, without the finding that nothing imports it. */
function tidyFile(path: string, text: string): string[] {
  return tidy({ [path]: text, 'package.json': `{ "main": "${path}" }` }).filter(
    (found) => !found.endsWith(' module'),
  )
}

/** The directions that are refused between these importing files. */
function tidyImports(files: Record<string, string>): string[] {
  return tidy(files).filter((found) => found.endsWith('import direction'))
}

const lines = (count: number) => 'go()\n'.repeat(count)

describe('import direction', () => {
  const rooms = {
    'server/src/sites/site.ts': 'export const site = 1',
    'server/src/identity/person.ts': 'export const person = 1',
    'server/src/ingest/envelope.ts': 'export const envelope = 1',
    'server/src/analytics/overview.ts': 'export const overview = 1',
    'server/src/http/serve.ts': 'export const serve = 1',
    'server/src/testing/harness.ts': 'export const harness = 1',
    'contract/src/index.ts': 'export const contract = 1',
  }

  test.each([
    ['server/src/sites/a.ts', '../identity/person.ts'],
    ['server/src/identity/a.ts', '../ingest/envelope.ts'],
    ['server/src/ingest/a.ts', '../analytics/overview.ts'],
    ['server/src/analytics/a.ts', '../ingest/envelope.ts'],
    ['server/src/http/a.ts', '../sites/site.ts'],
    ['server/src/store/a.ts', '../sites/site.ts'],
    ['server/src/platform/a.ts', '../sites/site.ts'],
    ['server/src/config.ts', '../src/sites/site.ts'],
    ['server/src/sites/a.ts', '../testing/harness.ts'],
    ['contract/src/a.ts', '../../server/src/http/serve.ts'],
    ['contract/src/a.ts', '@assay/server'],
    ['engine-portable/src/a.ts', '@assay/contract'],
  ])('%s may not import %s', (from, to) => {
    expect(tidyImports({ ...rooms, [from]: `// first line\nimport { x } from '${to}'` })).toEqual([
      `${from}:2 import direction`,
    ])
  })

  test.each([
    ['server/src/identity/a.ts', '../sites/site.ts'],
    ['server/src/ingest/a.ts', '../identity/person.ts'],
    ['server/src/analytics/a.ts', '../sites/site.ts'],
    ['server/src/analytics/a.ts', '../http/serve.ts'],
    ['server/src/sites/a.ts', '@assay/contract'],
    ['server/src/store/a.ts', '@assay/engine-portable'],
    ['server/src/app/app.ts', '../analytics/overview.ts'],
    ['server/src/app/deps.ts', './ingest/envelope.ts'],
    ['server/src/sites/a.test.ts', '../testing/harness.ts'],
    ['server/src/ingest/a.test.ts', '../analytics/overview.ts'],
    ['vitest.config.ts', './server/src/testing/harness.ts'],
  ])('%s may import %s', (from, to) => {
    expect(tidyImports({ ...rooms, [from]: `import { x } from '${to}'` })).toEqual([])
  })

  test('a store is imported by its own module, not by another one, not even in a test', () => {
    const found = tidyImports({
      'server/src/sites/store.ts': 'export const readSite = 1',
      'server/src/sites/routes.ts': "import { readSite } from './store.ts'",
      'server/src/ingest/gate.ts': "import { readSite } from '../sites/store.ts'",
      'server/src/ingest/gate.test.ts': "const { readSite } = await import('../sites/store.ts')",
    })
    expect(found).toEqual([
      'server/src/ingest/gate.test.ts:1 import direction',
      'server/src/ingest/gate.ts:1 import direction',
    ])
  })

  test('two modules of one layer may import in one direction, not in both', () => {
    const oneWay = { ...rooms, 'server/src/webhooks/a.ts': "import { x } from '../ingest/envelope.ts'" }
    const bothWays = { ...oneWay, 'server/src/ingest/a.ts': "import { x } from '../webhooks/a.ts'" }
    expect(tidyImports(oneWay)).toEqual([])
    expect(tidyImports(bothWays)).toEqual([
      'server/src/ingest/a.ts:1 import direction',
      'server/src/webhooks/a.ts:1 import direction',
    ])
  })
})

describe('circles', () => {
  const circles = (files: Record<string, string>) =>
    inspect(new Map(Object.entries(files)))
      .filter(({ rule }) => rule === 'import circle')
      .map(({ file, line, instead }) => `${file}:${line} ${instead.split(':')[0]}`)

  test.each([
    ['a value', "import { b } from './b.ts'"],
    ['a type', "import type { B } from './b.ts'"],
    ['an import when it is needed', "const load = () => import('./b.ts')"],
    ['a worker', "new Worker(new URL('./b.ts', import.meta.url))"],
    ['what it passes on', "export { b } from './b.ts'"],
  ])('two files that import each other are refused, by %s', (_, line) => {
    const files = { 'server/src/http/a.ts': `// first\n${line}`, 'server/src/http/b.ts': "import './a.ts'" }
    expect(circles(files)).toEqual([
      'server/src/http/a.ts:2 server/src/http/a.ts → server/src/http/b.ts → server/src/http/a.ts',
    ])
  })

  test('a long circle is named by its shortest way, and two circles are two', () => {
    const found = circles({
      'cli/src/a.ts': "import './b.ts'",
      'cli/src/b.ts': "import './c.ts'\nimport './d.ts'",
      'cli/src/c.ts': "import './d.ts'",
      'cli/src/d.ts': "import './a.ts'",
      'bench/src/x.ts': "import './y.ts'\nimport '../../cli/src/a.ts'",
      'bench/src/y.ts': "import './x.ts'",
    })
    expect(found).toEqual([
      'cli/src/a.ts:1 cli/src/a.ts → cli/src/b.ts → cli/src/d.ts → cli/src/a.ts',
      'bench/src/x.ts:1 bench/src/x.ts → bench/src/y.ts → bench/src/x.ts',
    ])
  })

  test('files that share a third are in no circle', () => {
    const files = { 'cli/src/a.ts': "import './b.ts'\nimport './c.ts'", 'cli/src/b.ts': "import './c.ts'" }
    expect(circles({ ...files, 'cli/src/c.ts': '' })).toEqual([])
  })
})

describe('sizes', () => {
  test('a file may have 500 lines, a test and a table of data 800, and not one more', () => {
    expect(tidyFile('contract/src/a.ts', lines(500))).toEqual([])
    expect(tidyFile('contract/src/a.ts', lines(501))).toEqual(['contract/src/a.ts:501 file size'])
    expect(tidyFile('contract/src/a.test.ts', lines(800))).toEqual([])
    expect(tidyFile('contract/src/a.test.ts', lines(801))).toEqual(['contract/src/a.test.ts:801 file size'])
    expect(tidyFile('contract/src/data/a.ts', lines(800))).toEqual([])
  })

  test.each([
    ['function', 'export function go(input: { a: number }): Promise<{ b: number }> {', '}'],
    ['named arrow', 'const go = async () => {', '}'],
    ['method', 'class Log {\n  async append(line: string): Promise<void> {', '  }\n}'],
    ['function with a brace in a text', "function go() {\n  say('}}}')", '}'],
    ['test', "test('a guarantee', async () => {", '})'],
  ])('a %s of more than 70 lines is refused, one of 70 is not', (_, opening, closing) => {
    const head = opening.split('\n').length - Number(opening.startsWith('class'))
    const fits = `${opening}\n${lines(69 - head)}${closing}\n`
    const tooLong = `${opening}\n${lines(70 - head)}${closing}\n`
    expect(tidyFile('contract/src/a.ts', fits)).toEqual([])
    expect(tidyFile('contract/src/a.ts', tooLong)).toEqual([expect.stringContaining(' function size')])
  })

  test('a signature without a body does not swallow the function after it', () => {
    const text = `type Store = {\n  read(id: string): Promise<void>\n}\n${lines(80)}function go() {}\n`
    expect(tidyFile('contract/src/a.ts', text)).toEqual([])
  })

  test('a group of tests may be long, also one for each of several cases', () => {
    const file = 'contract/src/a.test.ts'
    expect(tidyFile(file, `describe('a thing', () => {\n${lines(200)}})\n`)).toEqual([])
    expect(tidyFile(file, `describe.each([\n  1,\n])('%i', () => {\n${lines(200)}})\n`)).toEqual([])
    expect(tidyFile(file, `test.each([\n  1,\n])('%i', () => {\n${lines(200)}})\n`)).toHaveLength(1)
  })

  test('a line may have 120 characters, and more only when it holds an address or nothing but a text', () => {
    expect(tidyFile('contract/src/a.ts', 'x'.repeat(120))).toEqual([])
    expect(tidyFile('contract/src/a.ts', 'x'.repeat(121))).toEqual(['contract/src/a.ts:1 line length'])
    expect(tidyFile('contract/src/a.ts', `// https://example.com/${'x'.repeat(121)}`)).toEqual([])
    expect(tidyFile('contract/src/a.ts', `  agent: '${'x'.repeat(121)}',`)).toEqual([])
    expect(tidyFile('contract/src/a.test.ts', `test('${'x'.repeat(121)}', () => {})`)).toEqual([])
  })
})

describe('what may stand only in some places', () => {
  const somewhere = 'server/src/ingest/envelope.ts'
  test.each([
    ['sql', "const query = 'SELECT id FROM sites'", 'server/src/sites/store.ts'],
    ['sql', 'const query = `\n  INSERT INTO sites (id) VALUES ($1)`', 'server/src/ingest/receipt-store.ts'],
    [
      'sql',
      `const query = \`WITH \${name} AS (SELECT 1) SELECT 2\``,
      'server/src/store/migrations/migrate.ts',
    ],
    ['sql', "const query = 'ALTER TABLE events DELETE WHERE 1'", 'bench/src/overview.ts'],
    ['environment', 'const port = process.env.PORT', 'server/src/config.ts'],
    ['clock', 'const at = Date.now()', 'server/src/platform/clock.ts'],
    ['clock', 'const at = new Date()', 'server/src/main.ts'],
    ['randomness', 'const dice = Math.random()', 'bench/src/load.ts'],
    ['console', "console.log('here')", 'scripts/demo.ts'],
    ['console', "console.log('here')", 'server/src/testing/harness.ts'],
  ])('%s is refused in a rule of a module but not where it belongs: %s', (rule, text, allowed) => {
    expect(tidyFile(somewhere, text)).toEqual([expect.stringContaining(`${somewhere}:`)])
    expect(tidyFile(somewhere, text)[0]?.endsWith(rule)).toBe(true)
    expect(tidyFile(allowed, text)).toEqual([])
  })

  test.each([
    "const sentence = 'Select a site from the list, then update it'",
    'const at = new Date(receivedAtMs)',
    "const text = 'process.env and Date.now() and console.log()'",
    '// Date.now() would not do here, nor would Math.random()',
    'const pattern = /process.env|"new Date()/',
    `const text = \`a \${{ b: \`}\` }.b} console.log\``,
  ])('is not taken for it: %s', (text) => {
    expect(tidyFile(somewhere, text)).toEqual([])
  })

  test('code inside the hole of a template is still code', () => {
    expect(tidyFile(somewhere, `const text = \`at \${Date.now()}\``)).toEqual([`${somewhere}:1 clock`])
  })
})

describe('maps in memory are bounded', () => {
  const path = 'server/src/sites/sites.ts'
  const found = (text: string, file = path) =>
    tidyFile(file, text).filter((line) => line.endsWith('unbounded map'))

  test.each([
    ['at the top', 'const known = new Map<string, Site>()'],
    ['at the top, in a variable', 'let seen = new Set<string>()'],
    ['in a class', 'class Sites {\n  readonly #known = new Map<string, Site>()\n}'],
    ['in a class, made by its constructor', 'class Sites {\n  #known: Map<string, Site>\n}'],
    ['in what creates a part', 'export function createSites() {\n  const known = new Map()\n}'],
    ['with a long head', 'async function openSites(\n  a: A,\n): Promise<S> {\n  const known = new Set()\n}'],
    ['filled at the start', 'const createSites = () => {\n  const known = new Map(rows)\n}'],
    ['without a reason', '// bounded:\nconst known = new Map<string, Site>()'],
    ['for another reason', '// bounded: by sitesMax.\nconst max = 1\nconst known = new Map<string, Site>()'],
  ])('one that stays and gives no bound is refused: %s', (_, text) => {
    expect(found(text)).toHaveLength(1)
    expect(found(text, 'server/src/sites/sites.test.ts')).toEqual([])
    expect(found(text, 'server/src/testing/sites.ts')).toEqual([])
  })

  test.each([
    ['with its reason above', '// bounded: by sitesMax.\nconst known = new Map<string, Site>()'],
    ['with its reason in the same line', 'const known = new Map<string, Site>() // bounded: by sitesMax'],
    [
      'with more words between',
      'class S {\n  // bounded: by sitesMax.\n  /** By id. */\n  readonly #known = new Map<string, Site>()\n}',
    ],
    ['a constant', "const names: ReadonlySet<string> = new Set(['a'])"],
    ['in a function that ends', 'function sumOf(rows: Row[]) {\n  const sums = new Map<string, number>()\n}'],
    ['after what creates a part', 'function createSites() {\n}\nfunction sum() {\n  const a = new Map()\n}'],
    [
      'deeper in what creates a part',
      'function createSites() {\n  return () => {\n    const a = new Map()\n  }\n}',
    ],
    ['a bounded one', 'function createSites() {\n  const known = new RecentMap<Site>(sitesMax)\n}'],
    ['a weak one', 'const known = new WeakMap<Site, string>()'],
  ])('is fine: %s', (_, text) => {
    expect(found(text)).toEqual([])
  })
})

describe('types are true', () => {
  const file = 'contract/src/a.ts'
  test.each([
    ['any', 'let x: any'],
    ['any', 'const list: any[] = []'],
    ['any', 'const map: ReadonlyMap<string, any> = new Map()'],
    ['cast', 'const x = JSON.parse(text) as Site'],
    ['cast', 'const x = text as string'],
    ['cast', "const x = (await read()) as { id: 'a' }"],
    ['non-null', 'const x = list[0]!.id'],
    ['non-null', 'const x = find(id)!'],
    ['silenced', '// @ts-expect-error it knows better\ngo()'],
    ['unfinished', '// TODO the rest\ngo()'],
    ['unfinished', '/* a longer\n   FIXME */\ngo()'],
    ['skipped test', "test.skip('later', () => {})"],
    ['skipped test', "describe.only('this', () => {})"],
  ])('%s is refused: %s', (rule, text) => {
    expect(tidyFile(file, text)).toEqual([expect.stringMatching(`^${file}:\\d+ ${rule}$`)])
  })

  test.each([
    "const kinds = ['a', 'b'] as const",
    "import * as path from 'node:path'",
    "import { readFile as read, type Stats as FileStats } from 'node:fs'",
    "export { a as Abc } from 'elsewhere'",
    'const isAbsent = !list[0] && a !== b && x != null',
    'const { all, any } = rules',
    'const rules = { all: [], any: [] }',
    "const text = 'known as Site! TODO: any'",
    'const site = parse(text) as Site // boundary: the store holds what we wrote',
    '// boundary: the driver says unknown\nconst row = rows[0] as Row',
    '// boundary: another copy of the same type\nreturn (\n  found &&\n  found as unknown as Connection\n)',
    '  // boundary: checked by the schema\n  const call = {\n    a: {\n      b,\n    },\n  } as Call',
  ])('is fine: %s', (text) => {
    expect(tidyFile(file, text)).toEqual([])
  })

  test('what a generator wrote is not judged but by its size', () => {
    const golden = 'server/src/registry/golden/events.ts'
    expect(
      tidy({ [golden]: `const x = 1 as any\n${lines(799)}` }).filter((line) => line.startsWith(golden)),
    ).toEqual([])
    expect(tidy({ [golden]: lines(801) })).toContain(`${golden}:801 file size`)
  })

  test('a boundary without a reason explains nothing', () => {
    expect(tidyFile(file, 'const site = parse(text) as Site // boundary:')).toEqual([`${file}:1 cast`])
  })
})

describe('the repository says what is there', () => {
  test('every problem has a page and every page a problem', () => {
    const found = tidy({
      'contract/src/problems.ts':
        "export const problems = {\n  'not-found': { status: 404, title: 'x' },\n  internal: { status: 500, title: 'y' },\n}",
      'contract/package.json': '{ "main": "./src/problems.ts" }',
      'docs/problems/internal.md': '# y',
      'docs/problems/gone.md': '# z',
    })
    expect(found).toEqual(['contract/src/problems.ts:2 problem page', 'docs/problems/gone.md:1 problem page'])
  })

  test('every module has routes and a place among the layers, or is a library', () => {
    const found = tidy({
      'server/src/sites/routes.ts': '',
      'server/src/store/events.ts': '',
      'server/src/ingest/gate.ts': '',
      'server/src/billing/routes.ts': '',
    })
    expect(found.filter((line) => line.endsWith('module'))).toEqual([
      'server/src/billing/routes.ts:1 module',
      'server/src/ingest/routes.ts:1 module',
    ])
  })

  test('a file that only its test imports is dead; a program, a worker and a set-up file are not', () => {
    const found = tidy({
      'package.json': '{ "scripts": { "start": "node server/src/main.ts", "tidy": "node scripts/tidy.ts" } }',
      'server/src/main.ts': "import './app/app.ts'\nnew Worker(new URL('./worker.ts', import.meta.url))",
      'server/src/app/app.ts': '',
      'server/src/worker.ts': '',
      'server/src/forgotten.ts': '',
      'server/src/forgotten.test.ts': "import './forgotten.ts'",
      'server/src/testing/harness.ts': '',
      'server/src/app.test.ts': "import './testing/harness.ts'",
      'server/src/set-up.ts': '',
      'scripts/tidy.ts': '',
      'scripts/by-hand.ts': '',
      'README.md': 'Run `node scripts/by-hand.ts`.',
      'vitest.config.ts': "const setUp = 'server/src/set-up.ts'",
    })
    expect(found).toEqual(['server/src/forgotten.ts:1 dead file'])
  })

  test('the map in CONTRIBUTING lists each top-level folder and each folder of the server, and no other', () => {
    const found = tidy({
      'CONTRIBUTING.md':
        '# Us\n\n## Map\n\n| folder | holds |\n|---|---|\n| `server/` | x |\n| `cli/` | y |\n\n## Next\n',
      'server/src/http/serve.ts': '',
      'server/package.json': '{ "main": "./src/http/serve.ts" }',
      'docs/glossary.md': '',
      '.ci/run': '',
    })
    expect(found).toEqual([
      'CONTRIBUTING.md:3 folder map',
      'CONTRIBUTING.md:3 folder map',
      'CONTRIBUTING.md:8 folder map',
    ])
  })

  test('a number names one migration of a store', () => {
    const folder = 'server/src/store/migrations'
    const found = tidy({
      [`${folder}/control/0001_workspaces.sql`]: '',
      [`${folder}/control/0002_registry.sql`]: '',
      [`${folder}/control/0002_sites.sql`]: '',
      [`${folder}/control/03_consent.sql`]: '',
      [`${folder}/events/0001_ingest.sql`]: '',
      [`${folder}/events/0002_ingest_arrival.sql`]: '',
    })
    expect(found).toEqual([
      `${folder}/control/0002_sites.sql:1 migration`,
      `${folder}/control/03_consent.sql:1 migration`,
    ])
  })

  test('a migration after the first release removes nothing that the version before uses, unless it says so', () => {
    const folder = 'server/src/store/migrations'
    const mark = '-- survived from 0.2.0 on: it reads the other column.\n'
    const files = {
      [`${folder}/control/0035_sites.sql`]: 'ALTER TABLE sites DROP COLUMN colour;',
      [`${folder}/control/0101_sites.sql`]: '-- Gone.\nALTER TABLE sites DROP COLUMN colour;',
      [`${folder}/control/0102_sites.sql`]: 'ALTER TABLE sites RENAME COLUMN colour TO color;',
      [`${folder}/control/0103_sites.sql`]: 'ALTER TABLE sites ALTER COLUMN colour TYPE json;',
      [`${folder}/control/0104_sites.sql`]: 'ALTER TABLE sites ADD COLUMN colour text NOT NULL;',
      [`${folder}/control/0105_sites.sql`]: `${mark}DROP TABLE colours;`,
      [`${folder}/control/0106_sites.sql`]:
        "ALTER TABLE sites ADD COLUMN colour text NOT NULL DEFAULT '', ADD COLUMN tone text;\nCREATE TABLE tones (id text NOT NULL);",
      [`${folder}/events/0101_sites.sql`]: 'ALTER TABLE events MODIFY COLUMN name String;',
      [`${folder}/events/0102_sites.sql`]:
        "ALTER TABLE events ADD COLUMN IF NOT EXISTS tone String DEFAULT '';",
    }
    expect(tidy(files)).toEqual([
      `${folder}/control/0101_sites.sql:2 migration`,
      `${folder}/control/0102_sites.sql:1 migration`,
      `${folder}/control/0103_sites.sql:1 migration`,
      `${folder}/control/0104_sites.sql:1 migration`,
      `${folder}/events/0101_sites.sql:1 migration`,
    ])
  })

  test('a table is changed by the module whose migration creates it', () => {
    const found = tidy({
      'server/src/store/migrations/control/0001_sites.sql': 'CREATE TABLE sites (id text);',
      'server/src/store/migrations/events/0002_event_health.sql':
        'CREATE TABLE IF NOT EXISTS health_marks (a String)',
      'server/src/sites/store.ts': 'export const a = `UPDATE sites SET id = $1`',
      'server/src/event-health/store.ts':
        'export const a = `INSERT INTO health_marks SELECT id FROM sites`\nexport const b = `DELETE FROM sites`',
      'server/src/event-health/other-store.ts': "export const { one } = savedRows<Row>('sites', columns)",
      'server/src/store/purge.ts': 'export const a = `DELETE FROM sites`',
    })
    expect(found.filter((one) => one.endsWith('table owner'))).toEqual([
      'server/src/event-health/other-store.ts:1 table owner',
      'server/src/event-health/store.ts:2 table owner',
    ])
  })

  test('paths of one machine and addresses of a registry are not committed', () => {
    const home = ['', 'home', 'someone', 'assay'].join('/')
    const found = tidy({
      'docs/a.md': `See ${home}/x and https://example.com${home}`,
      '.npmrc': ['registry', 'https://mirror.example'].join('='),
      'package-lock.json': `{\n${['"resolved"', '"https://mirror.example/a.tgz"'].join(': ')} }`,
      Dockerfile: 'WORKDIR /app/home\nVOLUME /var/lib/assay',
    })
    expect(found).toEqual([
      '.npmrc:1 local trace',
      'docs/a.md:1 local trace',
      'package-lock.json:2 local trace',
    ])
  })

  test('a lock that npm ci would refuse on another platform is not committed', () => {
    const cli = { optionalDependencies: { 'cli-win32-x64': '1.0.0' } }
    const lock = (more: object) => JSON.stringify({ packages: { 'node_modules/cli': cli, ...more } })
    expect(tidy({ 'package-lock.json': lock({}) })).toEqual(['package-lock.json:1 lock file'])
    expect(tidy({ 'package-lock.json': lock({ 'node_modules/cli-win32-x64': {} }) })).toEqual([])
  })
})

describe('the files that are looked at', () => {
  const root = mkdtempSync(join(tmpdir(), 'tidy-'))
  afterAll(() => rmSync(root, { recursive: true }))

  test('are those that git knows or would add: nothing ignored, nothing deleted', () => {
    const git = (...args: string[]) => execFileSync('git', args, { cwd: root })
    git('init', '--quiet')
    mkdirSync(join(root, 'dist'))
    writeFileSync(join(root, '.gitignore'), 'dist/\n')
    for (const path of ['known.ts', 'deleted.ts']) writeFileSync(join(root, path), 'known')
    git('add', '.')
    rmSync(join(root, 'deleted.ts'))
    writeFileSync(join(root, 'new.ts'), 'new')
    writeFileSync(join(root, 'dist/built.ts'), 'built')
    expect(Object.fromEntries(readRepository(root))).toEqual({
      '.gitignore': 'dist/\n',
      'known.ts': 'known',
      'new.ts': 'new',
    })
  })
})
