import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Plugin } from 'vite'

const name = 'virtual:region-names'
const { resolve } = createRequire(import.meta.url)

type NameFile = { subdivisions: { localeDisplayNames: { subdivisions: Readonly<Record<string, string>> } } }

/** English names of regions by their ISO 3166-2 codes, from Unicode's locale data: `DE-BY` is Bavaria. */
function regionNames(): Record<string, string> {
  const file = resolve('cldr-subdivisions-full/subdivisions/en/en.json')
  // boundary: the shape of the file as its package describes it.
  const { subdivisions } = JSON.parse(readFileSync(file, 'utf8')) as NameFile
  const codeOf = (key: string) => `${key.slice(0, 2)}-${key.slice(2)}`.toUpperCase()
  // Two regions of a country with one name have a raised number behind it.
  return Object.fromEntries(
    Object.entries(subdivisions.localeDisplayNames.subdivisions).map(([key, said]) => [
      codeOf(key),
      said.replace(/[²³⁴]$/, ''),
    ]),
  )
}

/** `import { regionNames } from 'virtual:region-names'`, made while the page is built. */
export function regionNamesModule(): Plugin {
  return {
    name: 'region-names',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) => (id === `\0${name}` ? `export const regionNames = ${JSON.stringify(regionNames())}` : null),
  }
}
