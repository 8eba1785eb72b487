/** `npm run sdk`: makes the files of the browser SDK that the product serves, for later starts; prints their sizes. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { formsOf, madeBefore, putForms } from '../server/src/http/assets/sdk-assets.ts'
import { bundleSdk } from '../server/src/http/assets/sdk-bundle.ts'

rmSync(join(import.meta.dirname, '..', 'sdk', 'browser', 'dist'), { recursive: true, force: true })
for (const file of ['sdk.js', 'sdk.mjs', 'replay.js'] as const) {
  const forms = formsOf(Buffer.from(await bundleSdk(file)))
  putForms(madeBefore(), file, forms)
  const sizes = [forms.identity, forms.gzip, forms.br]
  const [plain, gzip, brotli] = sizes.map(({ length }) => `${(length / 1000).toFixed(2)} KB`)
  console.log(`${file.padEnd(14)} ${plain}, ${gzip} with gzip, ${brotli} with brotli`)
}
