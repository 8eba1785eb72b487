import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Bench } from './bench.ts'
import type { Measurement } from './measurement.ts'
import type { Figure } from './report.ts'
import type { Side } from './side.ts'

const sdkKilobytesMost = 8.1
const dashboardKilobytesMost = 200

/** Browser SDK and dashboard as they are served, built from that side's sources. */
export function sizesMeasurement(bench: Bench): Measurement {
  return {
    rounds: 0,
    open: async (side) => ({
      round: async () => {},
      figures: async () => [await sdkFigure(side), dashboardFigure(await bench.pages(side))],
      close: async () => {},
    }),
  }
}

const kilobytes = (bytes: number) => bytes / 1000

async function sdkFigure({ root }: Side): Promise<Figure> {
  const loaded: unknown = await import(join(root, 'server/src/http/assets/sdk-bundle.ts'))
  // boundary: the same module of another commit.
  const { bundleSdk } = loaded as { bundleSdk: (file: 'sdk.js') => Promise<string> }
  const bytes = gzipSync(await bundleSdk('sdk.js'), { level: 9 }).length
  const target = { of: 'value', most: sdkKilobytesMost } as const
  return { work: 'browser SDK, gzipped', value: kilobytes(bytes), unit: 'KB', target }
}

function dashboardFigure(place: string): Figure {
  const gzipped = (name: string) => readFileSync(join(place, `${name}.gz`)).length
  const page = readFileSync(join(place, 'index.html'), 'utf8')
  const named = [...page.matchAll(/"\/(assets\/[^"]+)"/g)].map(([, name = '']) => name)
  const bytes = named.reduce((sum, name) => sum + gzipped(name), gzipped('index.html'))
  const target = { of: 'value', most: dashboardKilobytesMost } as const
  return { work: 'dashboard, first load, gzipped', value: kilobytes(bytes), unit: 'KB', target }
}
