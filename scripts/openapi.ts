import { readFileSync, writeFileSync } from 'node:fs'
import { openApi, routes } from '../contract/src/index.ts'
import { compactJson } from './compact-json.ts'
import { sdkOperations } from './sdk-operations.ts'

/** Writes the files derived from the route table, or with --check reports whether they are up to date. */
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const files = {
  'docs/openapi.json': `${compactJson(openApi(routes, version))}\n`,
  'sdk/server/src/api/golden/operations.ts': sdkOperations(routes),
}

for (const [path, text] of Object.entries(files)) {
  const file = new URL(`../${path}`, import.meta.url)
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text)
  } else if (readFileSync(file, 'utf8') !== text) {
    console.error(`${path} is not what contract/ says. Run: npm run openapi`)
    process.exitCode = 1
  }
}
