import { execFile } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type TestWorkspace, type World } from '../../server/src/testing/harness.ts'

let world: World
let shop: TestWorkspace
const root = mkdtempSync(join(tmpdir(), 'assay-private-'))
beforeAll(async () => {
  world = await startWorld({ control: 'embedded' })
  shop = await world.newWorkspace()
})
afterAll(async () => {
  await world?.close()
  rmSync(root, { recursive: true, force: true })
})

const command = join(import.meta.dirname, 'main.ts')
/** Apart from what is looked at, and from what other programs use: it gets the umask, too. */
const compiled = join(root, 'compiled')

/** Runs the command with this umask; the home and the named paths are inside the directory. */
async function assay(directory: string, umask: string, ...args: string[]): Promise<void> {
  const script = `umask ${umask} && exec "$0" "$@"`
  const env = {
    PATH: process.env.PATH,
    HOME: join(directory, 'home'),
    ASSAY_KEY: shop.keys.live,
    NODE_COMPILE_CACHE: compiled,
  }
  await promisify(execFile)('/bin/sh', ['-c', script, process.execPath, command, ...args], {
    cwd: join(directory, 'project'),
    env,
  })
}

/** A data directory that its server left readable for everyone. */
function writeDataDirectory(path: string): void {
  mkdirSync(join(path, 'log'), { recursive: true, mode: 0o777 })
  for (const name of ['log/1.ndjson', 'vault.key', 'node-id']) {
    writeFileSync(join(path, name), 'secret\n')
    chmodSync(join(path, name), 0o666)
  }
  chmodSync(join(path, 'log'), 0o777)
}

/** Every file and directory that others can read. */
function readableByOthers(path: string): string[] {
  const inside = lstatSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => readableByOthers(join(path, name)))
    : []
  const expected = lstatSync(path).isDirectory() ? 0o700 : 0o600
  const mode = lstatSync(path).mode & 0o777
  return mode === expected ? inside : [`${path} ${mode.toString(8)}`, ...inside]
}

test.each(['000', '177'])(
  'whatever the umask, here %s, what holds secrets or people is its owner’s alone',
  async (umask) => {
    const place = join(root, umask)
    const [home, project] = [join(place, 'home'), join(place, 'project')]
    const credentials = join(home, '.config/assay/credentials.json')
    mkdirSync(join(home, '.config/assay'), { recursive: true })
    mkdirSync(project)
    // Both exist already, with an editor's permissions.
    chmodSync(join(home, '.config/assay'), 0o755)
    writeFileSync(credentials, '{}', { mode: 0o644 })
    writeDataDirectory(join(place, 'data'))
    mkdirSync(join(place, 'export'), { mode: 0o755 })

    await assay(place, umask, 'init', '--server', world.product.url)
    await assay(place, umask, 'export', join(place, 'export'), '--server', world.product.url)
    await assay(place, umask, 'backup', join(place, 'backup'), '--stopped', '--data-dir', join(place, 'data'))
    await assay(place, umask, 'restore', join(place, 'backup'), '--data-dir', join(place, 'restored'))

    expect(readFileSync(credentials, 'utf8')).toContain(shop.keys.live)
    expect(existsSync(join(place, 'export/manifest.json'))).toBe(true)
    expect(readFileSync(join(place, 'restored/vault.key'), 'utf8')).toBe('secret\n')
    const written = [
      join(home, '.config/assay'),
      ...['export', 'backup', 'restored'].map((name) => join(place, name)),
    ]
    expect(written.flatMap(readableByOthers)).toEqual([])
  },
)
