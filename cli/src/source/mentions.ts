/** What a source file says about events: where an SDK is installed, an event sent, or consent recorded. */
export type Finding =
  | { kind: 'install'; line: number; name: string; lacksKey?: true }
  | { kind: 'event'; line: number; event: string }
  | { kind: 'consent'; line: number }

/** The events that are looked for, by the names that code may give them. */
export type EventWords = {
  /** As in a call by name. */
  keys: ReadonlySet<string>
  /** Of generated functions: planChosen in TypeScript and Swift, plan_chosen in Python. */
  functions: ReadonlyMap<string, string>
}

export function eventWords(keys: readonly string[]): EventWords {
  return {
    keys: new Set(keys),
    functions: new Map(keys.flatMap((key) => [[key, key] as const, [camelCase(key), key] as const])),
  }
}

function camelCase(key: string): string {
  return key.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}

/** Packages and paths of ours that a module may import. */
const ownScope = '@assay'
const ownPackages = [`${ownScope}/browser`, `${ownScope}/server`]
const otherPackages = [
  '@segment/analytics-next',
  '@segment/analytics-node',
  '@rudderstack/analytics-js',
  '@rudderstack/rudder-sdk-node',
]
export const knownSdks: readonly string[] = [...ownPackages, ...otherPackages]

/** The SDK behind the address of an import, or null. */
export function importedSdk(address: string): string | null {
  const named = knownSdks.find((name) => address === name || address.startsWith(`${name}/`))
  // Tests of a project import it, too, and install nothing.
  if (named !== undefined) return address === `${ownScope}/server/testing` ? null : named
  return isSdkAddress(address) ? 'the browser SDK' : null
}

/** `/sdk.js`, `/sdk.mjs`, and a version of them such as `/sdk-0f3a5c7e9b1d2f46.js`. */
export function isSdkAddress(address: string): boolean {
  const [path = ''] = address.split(/[?#]/)
  const file = path.slice(path.lastIndexOf('/') + 1)
  const [name = '', ending, ...rest] = file.split('.')
  if (rest.length > 0 || (ending !== 'js' && ending !== 'mjs') || !path.includes('/')) return false
  return name === 'sdk' || (name.startsWith('sdk-') && /^[0-9a-f]{16}$/.test(name.slice(4)))
}

export const consentRoute = '/v1/consent'
