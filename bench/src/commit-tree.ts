import { execFileSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Side } from './side.ts'

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()

/** Short, with a mark where the tree has changes that are in no commit. */
export function commitOf(root: string): string {
  const isChanged = git(root, 'status', '--porcelain') !== ''
  return git(root, 'rev-parse', '--short', 'HEAD') + (isChanged ? '+' : '')
}

/** Another commit in a working tree of its own, with what it depends on. */
export function checkOut(repository: string, commit: string, folder: string): Side {
  const found = git(repository, 'rev-parse', '--short', `${commit}^{commit}`)
  git(repository, 'worktree', 'add', '--detach', folder, found)
  installIn(repository, folder)
  return { name: 'before', commit: found, root: folder }
}

export function removeTree(repository: string, { root }: Side): void {
  git(repository, 'worktree', 'remove', '--force', root)
}

function installIn(repository: string, folder: string): void {
  if (!holdsAll(lockedIn(repository), lockedIn(folder))) {
    execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'inherit',
    })
    return
  }
  for (const packages of packageFolders(repository))
    linkPackages(join(repository, packages), join(folder, packages))
}

type Locked = ReadonlyMap<string, string | undefined>

/** Every package from elsewhere, by its place in `node_modules`, with its version. */
function lockedIn(root: string): Locked {
  const parsed: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  // boundary: npm writes the file in this shape.
  const { packages } = parsed as { packages: Record<string, { version?: string; link?: boolean }> }
  const places = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  return new Map(places.map(([path, { version }]) => [path, version]))
}

/** Packages that were added since do not matter to the older commit. */
export function holdsAll(present: Locked, wanted: Locked): boolean {
  return [...wanted].every(([path, version]) => present.has(path) && present.get(path) === version)
}

/** Of the root, and of workspaces that have some of their own. */
function packageFolders(repository: string): readonly string[] {
  const parsed: unknown = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  // boundary: npm would not have installed anything without this shape.
  const { workspaces } = parsed as { workspaces: readonly string[] }
  return ['.', ...workspaces]
    .map((workspace) => join(workspace, 'node_modules'))
    .filter((packages) => existsSync(join(repository, packages)))
}

/**
 * Links every package, and not the folder: our own packages in it are links themselves, and have to lead to the other
 * commit's sources.
 */
export function linkPackages(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    const [source, target] = [join(from, name), join(to, name)]
    if (lstatSync(source).isSymbolicLink()) symlinkSync(readlinkSync(source), target)
    else if (name.startsWith('@')) linkPackages(source, target)
    else symlinkSync(source, target)
  }
}
