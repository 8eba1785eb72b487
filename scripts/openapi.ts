import { readFileSync, writeFileSync } from 'node:fs'
import { openApi, routes } from '../contract/src/index.ts'

/** Writes docs/openapi.json from the route table, or with --check tells whether the file is what the table says. */
const file = new URL('../docs/openapi.json', import.meta.url)
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const text = `${JSON.stringify(openApi(routes, version), null, 2)}\n`

if (!process.argv.includes('--check')) {
  writeFileSync(file, text)
} else if (readFileSync(file, 'utf8') !== text) {
  console.error('docs/openapi.json is not what contract/ says. Run: npm run openapi')
  process.exitCode = 1
}
