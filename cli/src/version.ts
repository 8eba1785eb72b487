import { readFileSync } from 'node:fs'

/** The manifest lies one folder up, from the source as from the bundle. */
export function ownVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  return String(version)
}
