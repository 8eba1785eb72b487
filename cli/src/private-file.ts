import { chmodSync, closeSync, fchmodSync, mkdirSync, openSync, writeFileSync } from 'node:fs'

const fileMode = 0o600
const directoryMode = 0o700

/**
 * Writes a file that only its owner can read. The mode given at creation is limited by the umask and ignored
 * for an existing file, so it is set before the first byte is written.
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

/** The same for a directory, which may exist. Its parents follow the umask. */
export function makePrivateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: directoryMode })
  chmodSync(path, directoryMode)
}
