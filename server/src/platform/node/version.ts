import { readFileSync } from 'node:fs'

const manifest: { version: string } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
)

/** Of this build. */
export const productVersion = manifest.version

/**
 * The oldest version whose nodes may run at the same time as this one. Raise it when the lines of the log, notices or
 * leases change in a way that an older node does not survive. Nodes before 0.1.0 was released write no version down
 * and count as 0.0.0.
 */
export const worksWith = '0.0.0'

/** Negative if the first one is older. What follows a hyphen or a plus sign does not count. */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [numbersOf(one), numbersOf(other)]
  for (const [index, number] of a.entries()) {
    const difference = number - (b[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function numbersOf(version: string): [number, number, number] {
  const [, major = '0', minor = '0', patch = '0'] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return [Number(major), Number(minor), Number(patch)]
}
