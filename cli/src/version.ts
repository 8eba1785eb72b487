import { readFileSync } from 'node:fs'

/** Set by the bundler; when run from source it is read from the manifest. */
declare const __ASSAY_VERSION__: string | undefined

export function ownVersion(): string {
  if (typeof __ASSAY_VERSION__ === 'string') return __ASSAY_VERSION__
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
