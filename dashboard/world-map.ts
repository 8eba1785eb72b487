import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { geoNaturalEarth1, geoPath } from 'd3-geo'
import { feature } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import type { Plugin } from 'vite'

const name = 'virtual:world-map'
const width = 800
const height = 400
/** Antarctica has no visitors and takes a fifth of the drawing. */
const left = new Set(['AQ'])

const { resolve } = createRequire(import.meta.url)
const read = (file: string): unknown => JSON.parse(readFileSync(resolve(file), 'utf8'))

/** The outline of every country by its two letters, drawn once for all: the page needs no geometry. */
function outlines(): Record<string, string> {
  // boundary: the shape of the file as its package describes it.
  const world = read('world-atlas/countries-110m.json') as Topology<{ countries: GeometryCollection }>
  // boundary: triples of two letters, three letters and a number, as its package describes it.
  const codes = read('i18n-iso-countries/codes.json') as [string, string, string][]
  const letters = new Map(codes.map(([two, , number]) => [number, two]))
  const countries = feature(world, world.objects.countries).features.flatMap((country) => {
    const two = letters.get(String(country.id).padStart(3, '0'))
    return two === undefined || left.has(two) ? [] : [{ two, country }]
  })
  const shown = { type: 'FeatureCollection' as const, features: countries.map(({ country }) => country) }
  const draw = geoPath(geoNaturalEarth1().fitSize([width, height], shown)).digits(1)
  return Object.fromEntries(countries.map(({ two, country }) => [two, draw(country) ?? '']))
}

/** `import { outlines } from 'virtual:world-map'`, made while the page is built. */
export function worldMap(): Plugin {
  return {
    name: 'world-map',
    resolveId: (id) => (id === name ? `\0${name}` : null),
    load: (id) =>
      id === `\0${name}`
        ? [
            `export const size = ${JSON.stringify({ width, height })}`,
            `export const outlines = ${JSON.stringify(outlines())}`,
          ].join('\n')
        : null,
  }
}
