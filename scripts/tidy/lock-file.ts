/** The part of package-lock.json that matters here. */
export type LockFile = { packages: Record<string, LockEntry> }
type LockEntry = {
  version?: string
  dev?: boolean
  optional?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}

/**
 * Packages of other platforms that the lock does not hold. npm leaves out what the registry it asks does not
 * have, and then `npm ci` refuses the whole lock, on every machine.
 */
export function missingPlatformPackages({ packages }: LockFile): Record<string, LockEntry> {
  const missing: Record<string, LockEntry> = {}
  for (const [path, { dev, optionalDependencies = {} }] of Object.entries(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const places = [`node_modules/${name}`, `${path}/node_modules/${name}`]
      if (places.some((place) => place in packages)) continue
      missing[`node_modules/${name}`] = { version, ...(dev && { dev }), optional: true, ...platformOf(name) }
    }
  }
  return missing
}

const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
]
const processors = ['arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64']

/** Such packages are named by what they are for: `@biomejs/cli-linux-arm64-musl`. */
function platformOf(name: string): LockEntry {
  const words = name.split(/[-/]/)
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  const libc =
    os !== 'linux' ? undefined : words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : undefined
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) }
}

/** The same lock with them, in the order in which npm writes it. */
export function completeLock<Lock extends LockFile>(lock: Lock): Lock {
  const entries = Object.entries({ ...lock.packages, ...missingPlatformPackages(lock) })
  return { ...lock, packages: Object.fromEntries(entries.sort(([a], [b]) => a.localeCompare(b, 'en'))) }
}
