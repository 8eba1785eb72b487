import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { createContext, runInContext } from 'node:vm'
import { getOverview } from '@assay/contract'
import { build, type Plugin, stop, transform } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { compileScript, parse } from 'vue/compiler-sfc'
import { type Lab, openLab } from '../sdk/browser/test/testing/lab.ts'
import type { TestWorkspace } from '../server/src/testing/harness.ts'
import { makeJar } from './java.ts'
import { makePackages } from './packages.ts'
import { blocksOf, fileOf, linkPackages, start, type Written, writeFiles } from './testing/fresh-project.ts'

const next = { timeout: 300_000 }
/** Outside the repository, so that nothing of it can be found by looking in the folders above. */
const folder = mkdtempSync(join(tmpdir(), 'assay-fresh-'))
const run = promisify(execFile)
/** With the packages, and nothing else: npm takes seconds for it, and the same for each project. */
const installed = join(folder, 'installed')
let lab: Lab

beforeAll(async () => {
  const [opened] = await Promise.all([openLab(), install()])
  lab = opened
}, 120_000)
afterAll(async () => {
  await lab?.close()
  await stop()
  rmSync(folder, { recursive: true, force: true })
})

/** As a stranger installs the packages that npm packed. */
async function install(): Promise<void> {
  const packed = await makePackages(join(folder, 'packages'))
  const wanted = packed.map(({ tarball }) => tarball).filter((path) => !path.includes('assay-cli'))
  writeFiles(installed, { 'package.json': JSON.stringify({ name: 'shop', private: true, type: 'module' }) })
  const options = { cwd: installed, env: environment() }
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...wanted], options)
}

/** Each test has a project and a workspace of its own. */
async function freshProject(
  name: string,
): Promise<{ project: string; ours: TestWorkspace; product: Written }> {
  const project = join(folder, name)
  cpSync(installed, project, { recursive: true, verbatimSymlinks: true })
  const ours = await lab.world.newWorkspace()
  const { public: publicKey, secret: secretKey } = ours.keys
  return { project, ours, product: { address: lab.world.product.url, publicKey, secretKey } }
}

/** The environment of a stranger: nothing that npm or the test runner says about this repository. */
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(?:npm_|INIT_CWD$|NODE_|VITEST)/i.test(name))
  return { ...Object.fromEntries(kept), NODE_ENV: 'development', HOME: folder, NEXT_TELEMETRY_DISABLED: '1' }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

async function overviewOf(ours: TestWorkspace, includeBots = true) {
  await ours.settle()
  const query = { siteId: ours.siteId, window: '24h', includeBots } as const
  return (await ours.call(getOverview, { query })).body.metrics
}

/** A development server compiles at the first request; two busy cores take their time for it. */
const loadedMs = 150_000

async function open(address: string) {
  const page = await (await lab.browser.newContext()).newPage()
  page.setDefaultTimeout(loadedMs)
  await page.goto(address)
  return page
}

test('a plain page that serves the packed script has its visit in the overview', async () => {
  const { project, ours, product } = await freshProject('plain-page')
  const script = readFileSync(join(project, 'node_modules/@assay/browser/sdk.js'), 'utf8')
  const [, own] = blocksOf('sdk/browser/README.md', product, 'html')
  const [, calls] = blocksOf('docs/guides/plain-page.md', product, 'html')[0]?.code.split('\n') ?? []
  const scripts = blocksOf('docs/guides/plain-page.md', product, 'js').map(
    ({ code }) => `<script>${code}</script>`,
  )
  const tag = (own?.code ?? '').replace('/assets/sdk.js', lab.site.page(script))
  const page = await open(
    lab.site.page(
      `<!doctype html><title>Shop</title>${tag}${calls}<button id="buy">Buy</button>${scripts.join('')}`,
    ),
  )
  await page.click('#buy')
  await lab.storedWith(ours, 'plan_chosen')
  expect(await overviewOf(ours)).toMatchObject({ visitors: 1, pageviews: 1 })
})

/** React writes its properties on every element that it looks after. */
const isTakenOver =
  "Object.keys(document.querySelector('button') ?? {}).some((key) => key.startsWith('__reactProps'))"

test('Next counts the visit of a page of the app router, and orders of both routers', next, async () => {
  const { project, ours, product } = await freshProject('next')
  linkPackages(project, ['next', 'react', 'react-dom', 'typescript', '@types/react', '@types/node'])
  const blocks = blocksOf('docs/guides/next.md', product, 'ts', 'tsx')
  const files = Object.fromEntries(blocks.map((block) => [fileOf(block), block.code]))
  const { 'pages/api/orders.ts': pagesRoute = '', 'next.config.ts': config = '', ...rest } = files
  writeFiles(project, {
    ...rest,
    // Next itself is linked, from outside of the project.
    'next.config.ts': config.replace('NextConfig = {', "NextConfig = { turbopack: { root: '/' },"),
    // The two routers may not serve one address.
    'pages/api/old-orders.ts': pagesRoute,
    'app/layout.jsx':
      'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }\n',
    'app/plans/page.jsx':
      'import { PlanButton } from \'./plan-button\'\nexport default () => <PlanButton plan="pro" />\n',
  })
  const port = await freePort()
  const command = ['node_modules/next/dist/bin/next', 'dev', '-H', '127.0.0.1', '-p', String(port)]
  const running = await start(command, project, environment(), /Ready in/)
  try {
    const origin = `http://127.0.0.1:${port}`
    const page = await open(`${origin}/plans`)
    await page.waitForFunction('window.assay')
    // A click before React has taken the page over would be lost.
    await page.waitForFunction(isTakenOver)
    await page.click('text=pro')
    for (const [path, id, amount] of [
      ['/api/orders', 'o_1', 20],
      ['/api/old-orders', 'o_2', 22.5],
    ]) {
      const body = JSON.stringify({ id, amount, userId: 'u_1' })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${origin}${path}`, { method: 'POST', headers, body })).status).toBe(201)
    }
    await lab.storedWith(ours, 'plan_chosen')
    // What Next draws over a page while it is developed would move until the end.
    await page.context().close()
    await lab.storedWith(ours, '$purchase', 2)
    expect(await overviewOf(ours)).toMatchObject({ pageviews: 1, revenue: 42.5 })
  } finally {
    await running.stop()
  }
})

test('Express reports its requests and an order with its revenue', async () => {
  const { project, ours, product } = await freshProject('express')
  linkPackages(project, ['express', 'typescript'])
  const express = blocksOf('docs/server-sdk.md', product, 'ts').find(({ code }) =>
    code.includes('watchExpress'),
  )
  const { code } = await transform(express?.code ?? '', { loader: 'ts' })
  const port = await freePort()
  writeFiles(project, {
    'shop.mjs': `${code}\napp.listen(${port}, '127.0.0.1', () => console.log('Ready'))\n`,
  })
  const running = await start(['shop.mjs'], project, environment(), /Ready/)
  try {
    await fetch(`http://127.0.0.1:${port}/orders`, { method: 'POST', headers: { 'x-user': 'u_1' } })
    await lab.storedWith(ours, '$purchase')
    expect(await overviewOf(ours)).toMatchObject({ revenue: 49.9 })
  } finally {
    await running.stop()
  }
})

/** What the guide imports of React Native and its storage, as far as the engine of an app has it. */
const reactNative = {
  'react-native': `export const Platform = { OS: 'android', Version: 34 }
export const AppState = { addEventListener: () => ({ remove() {} }) }`,
  '@react-native-async-storage/async-storage': `const kept = new Map()
export default {
  getItem: async (key) => kept.get(key) ?? null,
  setItem: async (key, value) => void kept.set(key, value),
  removeItem: async (key) => void kept.delete(key),
}`,
}
const capacitor = {
  '@capacitor/app': 'export const App = { addListener: async () => ({ remove() {} }) }',
  '@capacitor/core': "export const Capacitor = { getPlatform: () => 'ios' }",
  '@capacitor/preferences': `const kept = new Map()
export const Preferences = {
  get: async ({ key }) => ({ value: kept.get(key) ?? null }),
  set: async ({ key, value }) => void kept.set(key, value),
  remove: async ({ key }) => void kept.delete(key),
}`,
}

test.each([
  ['react-native', reactNative, "import { choosePlan } from './src/checkout'\nchoosePlan('pro')\n"],
  ['capacitor', capacitor, "import './src/assay'\n"],
] as const)(
  'an app by the guide of %s, in an engine without a page, has its screen in the overview',
  async (name, modules, entry) => {
    const { project, ours, product } = await freshProject(name)
    for (const [module, text] of Object.entries(modules))
      writeFiles(join(project, 'node_modules', module), {
        'index.js': text,
        'package.json': JSON.stringify({ name: module, main: 'index.js' }),
      })
    const blocks = blocksOf(`docs/guides/${name}.md`, product, 'ts')
    writeFiles(project, Object.fromEntries(blocks.map((block) => [fileOf(block), block.code])))
    writeFiles(project, { 'index.ts': entry })
    const { outputFiles } = await build({
      absWorkingDir: project,
      entryPoints: ['index.ts'],
      bundle: true,
      write: false,
      format: 'iife',
      platform: 'neutral',
      // As Metro resolves.
      conditions: ['react-native', 'require'],
      mainFields: ['react-native', 'browser', 'main'],
    })
    // What React Native has, and nothing of Node or a browser: no URL, no crypto, no TextEncoder.
    const engine = { fetch, setTimeout, clearTimeout, console, AbortController }
    runInContext(outputFiles[0]?.text ?? '', createContext(engine))
    await lab.storedWith(ours, 'plan_chosen')
    expect(await overviewOf(ours, false)).toMatchObject({ visitors: 1, pageviews: 1 })
  },
)

test('a program with the jar, by the guide for Android, has its screen in the overview', async () => {
  const { ours, product } = await freshProject('java')
  const project = join(folder, 'java')
  const jar = makeJar(join(folder, 'jar'))
  const [application] = blocksOf('docs/guides/android.md', product, 'java')
  writeFiles(project, {
    'ShopApplication.java': application?.code ?? '',
    // What Android brings.
    'android/app/Application.java': `package android.app;
public class Application {
    public void onCreate() {}
    public java.io.File getFilesDir() { return new java.io.File("files"); }
}
`,
    'Main.java': `public class Main {
    public static void main(String[] args) throws Exception {
        new ShopApplication().onCreate();
        System.in.read(); // until the test ends it
    }
}
`,
  })
  const sources = ['Main.java', 'ShopApplication.java', 'android/app/Application.java']
  await run('javac', ['-encoding', 'UTF-8', '-classpath', jar, ...sources], { cwd: project })
  const child = execFile('java', ['-classpath', [jar, '.'].join(delimiter), 'Main'], { cwd: project })
  try {
    await lab.storedWith(ours, 'plan_chosen')
    expect(await overviewOf(ours)).toMatchObject({ visitors: 1, pageviews: 1 })
  } finally {
    child.kill('SIGKILL')
  }
})

test('a Vue app by the guide has its visit and its click in the overview', async () => {
  const { project, ours, product } = await freshProject('vue')
  linkPackages(project, ['vue'])
  const [module] = blocksOf('docs/guides/vue.md', product, 'ts')
  const [component] = blocksOf('docs/guides/vue.md', product, 'vue')
  writeFiles(project, {
    'src/assay.ts': module?.code ?? '',
    'src/Plan.vue': component?.code ?? '',
    'src/main.ts': `import { createApp } from 'vue'
import { reportErrors } from './assay'
import Plan from './Plan.vue'
createApp(Plan, { plan: 'pro' }).use(reportErrors).mount('#app')
`,
  })
  const { outputFiles } = await build({
    absWorkingDir: project,
    entryPoints: ['src/main.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    plugins: [vueComponents],
    define: {
      'process.env.NODE_ENV': '"production"',
      __VUE_OPTIONS_API__: 'false',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  })
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script')
  const page = await open(
    lab.site.page(`<!doctype html><title>Shop</title><div id="app"></div><script>${script}</script>`),
  )
  await page.click('text=pro')
  await lab.storedWith(ours, 'plan_chosen')
  expect(await overviewOf(ours)).toMatchObject({ visitors: 1, pageviews: 1 })
})

/** With Vue's own compiler, as its plugins for bundlers do. */
const vueComponents: Plugin = {
  name: 'vue',
  setup({ onLoad }) {
    onLoad({ filter: /\.vue$/ }, ({ path }) => {
      const { descriptor } = parse(readFileSync(path, 'utf8'), { filename: path })
      const { content } = compileScript(descriptor, { id: 'x', inlineTemplate: true })
      return { contents: content, loader: 'ts' }
    })
  },
}
