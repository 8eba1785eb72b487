import { readFileSync } from 'node:fs'

/** Written in by the bundler; the source reads its manifest. */
declare const __ASSAY_VERSION__: string | undefined

export function ownVersion(): string {
  if (typeof __ASSAY_VERSION__ === 'string') return __ASSAY_VERSION__
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
