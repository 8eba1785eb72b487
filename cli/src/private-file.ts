import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'

const fileMode = 0o600
const directoryMode = 0o700

/**
 * Writes what nobody else on the machine may read. The mode that a file is made with is cut by the umask and says
 * nothing of a file that is there already, so it is set before the first byte goes in.
 */
export function writePrivateFile(path: string, text: string, flag: 'w' | 'a' = 'w'): void {
  const file = openSync(path, flag, fileMode)
  try {
    fchmodSync(file, fileMode)
    writeFileSync(file, text)
  } finally {
    closeSync(file)
  }
}

/** The same for a directory, which may be there. Those above it are as the umask says. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: directoryMode })
  chmodSync(path, directoryMode)
}
