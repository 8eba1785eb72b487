import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Metafile } from 'esbuild'
import { root } from './package-folder.ts'

/** Licences of the packages of others in a bundle, which ask to be copied with their code. */
export function thirdPartyLicences({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).flatMap(
    (path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  )
  return [...new Set(folders)]
    .sort()
    .map(licenceOf)
    .join(`\n\n${'-'.repeat(80)}\n\n`)
}

function licenceOf(folder: string): string {
  const place = join(root, folder)
  const manifestPath = join(place, 'package.json')
  if (!existsSync(manifestPath)) throw new Error(`${folder} has no manifest, so its licence is unknown`)
  const { name, version, license } = JSON.parse(readFileSync(manifestPath, 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} does not say its licence`)
  const file = readdirSync(place).find((entry) => /^licen[cs]e/i.test(entry))
  if (file === undefined && license !== 'MIT')
    throw new Error(`${name} comes without the text of its licence`)
  const text = file === undefined ? mitLicence(name) : readFileSync(join(place, file), 'utf8').trim()
  return `${name} ${version}, ${license}\n\n${text}`
}

/** For packages that name the licence and leave its text out. */
const mitLicence = (name: string): string => `Copyright (c) the authors of ${name}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`
