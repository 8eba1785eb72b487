import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { eventWords } from './mentions.ts'
import { readSources } from './sources.ts'

const root = mkdtempSync(join(tmpdir(), 'assay-sources-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
const words = eventWords(['plan_chosen', 'plan_left'])

let count = 0
/** What is found in a file of this name: kind, line, and the event or the SDK. */
function found(name: string, text: string): string[] {
  const file = `${++count}/${name}`
  mkdirSync(dirname(join(root, file)), { recursive: true })
  writeFileSync(join(root, file), text)
  return readSources(root, [file], words).map((one) => {
    const what = one.kind === 'event' ? one.event : one.kind === 'install' ? one.name : ''
    return `${one.kind} ${one.line} ${what}${'lacksKey' in one ? ' without key' : ''}`.trim()
  })
}

describe('every documented form of installing an SDK is found', () => {
  const tag = '<script async src="https://a.example/sdk.js" data-key="pk_live_1"></script>'
  test.each([
    ['a tag', 'a.html', `<head>\n${tag}`, 'install 2 the script tag'],
    [
      'a version of it',
      'a.html',
      tag.replace('sdk.js', 'sdk-0f3a5c7e9b1d2f46.js'),
      'install 1 the script tag',
    ],
    [
      'attributes in another order, over lines',
      'a.html',
      "<script data-key=pk\n src='/x/sdk.js?v=1'\n defer>",
      'install 1 the script tag',
    ],
    [
      'a tag without a key',
      'a.html',
      '<script src="/sdk.js"></script>',
      'install 1 the script tag without key',
    ],
    [
      'a module in a page',
      'a.html',
      "<script type=module>\nimport { init } from 'https://a.example/sdk.mjs'\n</script>",
      'install 2 the browser SDK',
    ],
    [
      'JSX',
      'a.jsx',
      'export const A = () => <script async src={new URL("/sdk.js", host)} data-key={key} />',
      'install 1 the script tag',
    ],
    [
      'the component of Next',
      'a.tsx',
      'const a = <Script src="https://a.example/sdk.js" data-key="pk" />',
      'install 1 the script tag',
    ],
    ['a package', 'a.ts', "import { init as start } from '@assay/browser'", 'install 1 @assay/browser'],
    ['require', 'a.cjs', "const { createClient } = require('@assay/server')", 'install 1 @assay/server'],
    [
      'a framework of the server SDK',
      'a.ts',
      "import { watchHono } from '@assay/server/hono'",
      'install 1 @assay/server',
    ],
    ['an import on demand', 'a.js', "const sdk = await import('@assay/browser')", 'install 1 @assay/browser'],
    ['a file of the package', 'a.js', "export * from '@assay/browser/sdk.js'", 'install 1 @assay/browser'],
    [
      'an element',
      'a.js',
      "const s = document.createElement('script')\ns.src = host + '/sdk.js'",
      'install 2 the script',
    ],
    ['an attribute', 'a.js', "s.setAttribute('src', 'https://a.example/sdk.js')", 'install 1 the script'],
    [
      'the head of Nuxt',
      'a.ts',
      "useHead({ script: [{ src: 'https://a.example/sdk.js', 'data-key': key }] })",
      'install 1 the script',
    ],
    [
      'Vue',
      'A.vue',
      '<template><p/></template>\n<script setup lang="ts">\nimport { init } from \'@assay/browser\'\n</script>',
      'install 3 @assay/browser',
    ],
    [
      'Svelte',
      'A.svelte',
      "<script>\n  import { init } from '@assay/browser'\n</script>\n<p>It's here</p>",
      'install 2 @assay/browser',
    ],
    ['Astro', 'A.astro', `---\nconst a = 1 < 2\n---\n<head>${tag}</head>`, 'install 4 the script tag'],
    [
      'a template of PHP',
      'head.php',
      `<?php if (true): ?>\n${tag}\n<?php endif ?>`,
      'install 2 the script tag',
    ],
    [
      'WordPress',
      'functions.php',
      "<?php\nwp_enqueue_script('assay', 'https://a.example/sdk.js');",
      'install 2 the script',
    ],
    ['Java', 'A.java', 'Assay assay = Assay.builder(url, key).build();', 'install 1 the Java SDK'],
    ['Kotlin', 'A.kt', 'val assay = Assay.builder(url, key).build()', 'install 1 the Java SDK'],
  ])('%s', (_form, name, text, expected) => {
    expect(found(name, text)).toEqual([expected])
  })

  test.each([
    ['a comment of a page', 'a.html', `<!-- ${tag} -->`],
    ['a comment of a script', 'a.js', "// import { init } from '@assay/browser'"],
    ['a text', 'a.ts', `const words = 'import { init } from "@assay/browser"'`],
    ['a type', 'a.ts', "import type { Client } from '@assay/server'"],
    ['what tests import', 'a.ts', "import { createTestClient } from '@assay/server/testing'"],
    ['another script', 'a.html', '<script src="/js/my-sdk.js"></script><script src="/sdk.min.js"></script>'],
    ['data in a page', 'a.html', `<script type="application/json">["@assay/browser", "/sdk.js"]</script>`],
  ])('and %s is none', (_form, name, text) => {
    expect(found(name, text)).toEqual([])
  })
})

describe('every form of sending an event is found', () => {
  test.each([
    ['by name', 'a.js', "assay.track('plan_chosen', { plan })"],
    ['before the SDK has loaded', 'a.js', "window.assay('track', 'plan_chosen')"],
    ['of the server SDK', 'a.ts', "client.track({ userId, event: 'plan_chosen' })"],
    [
      'over several lines',
      'a.ts',
      "trackerOf(request)?.track({\n  properties: {},\n  event: 'plan_chosen',\n})",
    ],
    ['of generated code', 'a.ts', "import { planChosen } from './assay'; planChosen<Plan>({ plan: 'free' })"],
    ['as a member', 'a.ts', 'const events = createEvents(assay.send); events.planChosen({})'],
    ['in a batch', 'a.ts', "await client.batch([{ event: 'plan_chosen', userId: 'u' }])"],
    ['by HTTP', 'a.js', "fetch('/v1/track', { body: JSON.stringify({ event: 'plan_chosen' }) })"],
    ['by a constant', 'a.ts', "const name = 'plan_chosen' as const; assay.track(name)"],
    [
      'by a list of names',
      'a.ts',
      "const names = { chosen: 'plan_chosen' } as const; assay.track(names.chosen)",
    ],
    ['with a cast', 'a.ts', "assay.track(<Name>'plan_chosen')"],
    ['on a click', 'a.html', `<button onclick="assay.track('plan_chosen')">It's free</button>`],
    ['in Vue', 'A.vue', `<template><button @click="() => assay.track('plan_chosen')" /></template>`],
    ['in Svelte', 'A.svelte', "<p>Don't wait</p><button onclick={() => assay.track('plan_chosen')} />"],
    ['in Python', 'a.py', "assay.track('plan_chosen') # plan_left()"],
    ['by a function in Python', 'a.py', 'plan_chosen(plan="free")'],
    ['in Swift', 'a.swift', 'planChosen(plan: "free") /* planLeft() */'],
    ['in Java', 'A.java', 'assay.track("plan_chosen", properties); // planLeft()'],
  ])('%s', (_form, name, text) => {
    expect(found(name, text)).toEqual(['event 1 plan_chosen'])
  })

  test.each([
    ['a declaration', 'a.ts', 'function planChosen() {}\nplanChosen()'],
    ['a declaration in Python', 'a.py', 'def plan_chosen(): pass'],
    ['a comment', 'a.ts', "// assay.track('plan_chosen')\n/* planChosen() */"],
    ['a text', 'a.ts', `const said = "assay.track('plan_chosen')"`],
    ['a data layer', 'a.ts', "dataLayer.push({ event: 'plan_chosen' })"],
    ['another event', 'a.ts', "assay.track('plan_chosen_twice'); planChosenTwice()"],
  ])('and %s is none', (_form, name, text) => {
    expect(found(name, text)).toEqual([])
  })

  test('both ends of a choice are, and consent in each of its forms', () => {
    expect(found('a.ts', "assay.track(isNew ? 'plan_chosen' : 'plan_left')")).toEqual([
      'event 1 plan_chosen',
      'event 1 plan_left',
    ])
    for (const text of [
      "assay.consent('granted')",
      "assay('consent', all)",
      "gtag('consent', 'update', all)",
      'client.track({ consent })',
      "fetch(url + '/v1/consent')",
    ])
      expect(found('a.ts', text), text).toEqual(['consent 1'])
    expect(found('a.ts', '// assay.consent()')).toEqual([])
  })

  test('a file that cannot be parsed is read word by word, however deep it nests', () => {
    expect(found('a.js', "assay.track('plan_chosen') ]]] <%= broken %>")).toEqual(['event 1 plan_chosen'])
    expect(found('a.js', `${'('.repeat(400)}assay.track('plan_chosen')${')'.repeat(400)}`)).toHaveLength(1)
    expect(found('a.js', `${'['.repeat(100_000)}assay.track('plan_chosen')`)).toEqual(['event 1 plan_chosen'])
  })
})
