import { lstat, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pathWithin } from '../../platform/files/safe-path.ts'
import type { StoredFiles } from './stored-files.ts'

/** Only the owner of the process may read them. */
const ownFile = 0o600
const ownFolder = 0o700

export function localFiles(directory: string): StoredFiles {
  const at = (path: string) => pathWithin(directory, ...path.split('/'))
  return {
    isShared: false,
    size: (path) =>
      stat(at(path)).then(
        ({ size }) => size,
        () => null,
      ),
    async read(path, offset, length) {
      // Files of an import are deleted when it is done, also while its status is read.
      const file = await open(at(path), 'r').catch(() => null)
      if (file === null) return Buffer.alloc(0)
      try {
        // Most files are much smaller than what is read at once.
        const bytes = Math.min(length, Math.max(0, (await file.stat()).size - offset))
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, offset)
        return buffer.subarray(0, bytesRead)
      } finally {
        await file.close()
      }
    },
    async write(path, offset, bytes, { isDurable }) {
      await mkdir(dirname(at(path)), { recursive: true, mode: ownFolder })
      const file = await open(at(path), offset === 0 ? 'w' : 'r+', ownFile)
      try {
        if ((await file.stat()).size < offset) throw new Error(`${path} does not reach ${offset}`)
        await file.truncate(offset)
        await file.write(bytes, 0, bytes.length, offset)
        if (isDurable) await file.sync()
      } finally {
        await file.close()
      }
    },
    rename: (from, to) => rename(at(from), at(to)),
    remove: (path) => rm(at(path), { recursive: true, force: true }),
    async list(folder) {
      const names = await readdir(at(folder)).catch(() => [])
      return Promise.all(
        names.map(async (name) => {
          const found = await lstat(`${at(folder)}/${name}`).catch(() => null)
          return { name, changedMs: found?.mtimeMs ?? 0 }
        }),
      )
    },
  }
}
