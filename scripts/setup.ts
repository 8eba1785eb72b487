/** Brings what the tests need and npm cannot: real servers and tools, from the packages of the system. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

export type Need = {
  name: string
  /** Which tests stand still without it. */
  why: string
  debianPackage: string
  isPresent: () => boolean
}

export const needs: readonly Need[] = [
  {
    name: 'PostgreSQL server (initdb, postgres)',
    why: 'the tests of the control store run on a real server as well as on the embedded one',
    debianPackage: 'postgresql',
    isPresent: () => ['initdb', 'postgres'].every((program) => hasProgram(program, postgresFolders())),
  },
  {
    name: 'NATS server (nats-server)',
    why: 'the replicated log is tested on three real servers, which are killed meanwhile',
    debianPackage: 'nats-server',
    isPresent: () => hasProgram('nats-server', ['/usr/sbin']),
  },
  {
    name: 'curl',
    why: 'a test runs docs/tour.md as it is written',
    debianPackage: 'curl',
    isPresent: () => hasProgram('curl', []),
  },
  {
    name: 'Chromium (chromium-headless-shell)',
    why: 'the browser SDK is tested in a real browser',
    debianPackage: 'chromium-headless-shell',
    isPresent: () => hasProgram('chromium-headless-shell', []),
  },
  {
    name: 'PHP',
    why: 'a test runs the snippet of the WordPress guide',
    debianPackage: 'php-cli',
    isPresent: () => hasProgram('php', []),
  },
  {
    name: 'openssl',
    why: 'a test makes certificates for the servers of a replicated log',
    debianPackage: 'openssl',
    isPresent: () => hasProgram('openssl', []),
  },
  {
    name: 'nginx',
    why: 'a test runs the configuration of the guide for first-party proxies',
    debianPackage: 'nginx-light',
    isPresent: () => hasProgram('nginx', ['/usr/sbin']),
  },
  {
    name: 'Caddy',
    why: 'a test runs the configuration of the same guide',
    debianPackage: 'caddy',
    isPresent: () => hasProgram('caddy', []),
  },
  {
    name: 'Java compiler (javac, jar)',
    why: 'the Java SDK is compiled, and tested in a JVM',
    debianPackage: 'default-jdk-headless',
    isPresent: () => ['javac', 'jar', 'java'].every((program) => hasProgram(program, [])),
  },
  {
    name: 'mypy',
    why: 'generated Python is checked as strictly as its users may',
    debianPackage: 'mypy',
    isPresent: () => hasProgram('mypy', []),
  },
]

export type Machine = {
  canInstall: boolean
  /** Runs a command to its end and says whether it went well. */
  run: (command: string, args: readonly string[]) => boolean
  say: (line: string) => void
}

/** Installs what is missing. Answers whether everything is there now. */
export function setUp(wanted: readonly Need[], { canInstall, run, say }: Machine): boolean {
  const missing = wanted.filter((need) => !need.isPresent())
  if (missing.length === 0) return true
  for (const { name, why } of missing) say(`Missing: ${name}, because ${why}.`)
  const packages = missing.map((need) => need.debianPackage)
  if (!canInstall) {
    say(`Install it and run this again. On Debian or Ubuntu, as root: apt-get install ${packages.join(' ')}`)
    return false
  }
  say(`Installing ${packages.join(', ')} with apt-get.`)
  const isInstalled =
    run('apt-get', ['update', '--quiet']) &&
    run('apt-get', ['install', '--yes', '--quiet', '--no-install-recommends', ...packages])
  const stillMissing = wanted.filter((need) => !need.isPresent())
  for (const { name } of stillMissing) say(`Still missing after the installation: ${name}.`)
  return isInstalled && stillMissing.length === 0
}

export const thisMachine: Machine = {
  canInstall: process.getuid?.() === 0 && hasProgram('apt-get', []),
  run: (command, args) => {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    return spawnSync(command, args, { env, stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
  },
  say: (line) => console.log(line),
}

/** Debian keeps the programs of the server out of the PATH, one folder a version. */
function postgresFolders(): string[] {
  return globSync('/usr/lib/postgresql/*/bin')
}

function hasProgram(program: string, furtherFolders: readonly string[]): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...furtherFolders]
  return folders.some((folder) => isExecutable(join(folder, program)))
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

if (import.meta.main) process.exitCode = setUp(needs, thisMachine) ? 0 : 1
