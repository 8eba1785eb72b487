/**
 * `npm run dashboard`: builds the dashboard in dashboard/dist, where a start finds it, and prints its sizes.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeDashboard } from '../server/src/http/assets/dashboard-assets.ts'

const parent = join(import.meta.dirname, '..', 'dashboard', 'dist')
rmSync(parent, { recursive: true, force: true })
const place = await makeDashboard(parent)

const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`
const gzipped = (name: string) => readFileSync(join(place, `${name}.gz`)).length
const page = readFileSync(join(place, 'index.html'), 'utf8')
const named = [...page.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name = '']) => name)
const first = named.reduce((sum, name) => sum + gzipped(name), gzipped('index.html'))
for (const name of readdirSync(join(place, 'assets')).filter((name) => /\.(?:js|css)$/.test(name))) {
  console.log(`${kilobytes(gzipped(`assets/${name}`)).padStart(9)}  ${name}`)
}
console.log(`${kilobytes(first).padStart(9)}  first load, with gzip`)
