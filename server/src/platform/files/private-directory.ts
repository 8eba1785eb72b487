import { chmodSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'

/** These files contain secrets and personal data: only their owner may read them. */
export const privateUmask = 0o077

/** The data directory cannot be made private. */
export class DirectoryOpen extends Error {
  override readonly name = 'DirectoryOpen'
}

/** Creates the directory, or makes it and its content private to the user of this process. */
export function closeDirectory(directory: string): void {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  // There modes say nothing about who may read.
  if (process.platform === 'win32') return
  if (!tryToClose(directory)) throw new DirectoryOpen(adviceFor(directory))
  for (const path of everythingIn(directory)) {
    if (!tryToClose(path)) throw new DirectoryOpen(adviceFor(path))
  }
}

function tryToClose(path: string): boolean {
  const { mode } = statSync(path)
  if ((mode & privateUmask) === 0) return true
  try {
    chmodSync(path, mode & 0o700)
  } catch (error) {
    // Owned by another user, or on a file system without modes. Checked below, since some ignore chmod
    // silently.
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  return (statSync(path).mode & privateUmask) === 0
}

/** Directories before their content. Links are left alone: they have no mode. */
function* everythingIn(directory: string): Generator<string> {
  for (const name of readdirSync(directory)) {
    const path = `${directory}/${name}`
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined || found.isSymbolicLink()) continue
    yield path
    if (found.isDirectory()) yield* everythingIn(path)
  }
}

function adviceFor(path: string): string {
  const { uid, mode } = statSync(path)
  const own = process.getuid?.()
  const whose = uid === own ? '' : ` It belongs to user ${uid}, and this process runs as user ${own}.`
  const open = `open to other users of this machine (mode ${(mode & 0o777).toString(8)})`
  return (
    `${path} is ${open} and cannot be closed.${whose} ` +
    'Give it to this user and close it (chown, chmod -R go=), or set ASSAY_DATA_DIR to a directory inside it: ' +
    'that one is made as it must be.'
  )
}
