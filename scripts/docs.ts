/** `npm run docs`: builds the docs site in docs-site/dist, where a start finds it; any static host can serve it too. */
import { rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeDocs } from '../server/src/http/assets/docs-assets.ts'

const root = join(import.meta.dirname, '..')
const parent = join(root, 'docs-site', 'dist')
rmSync(parent, { recursive: true, force: true })
console.log(`The docs site is in ${relative(root, await makeDocs(parent))}`)
