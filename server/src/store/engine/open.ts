import path from 'node:path'
import { text } from 'node:stream/consumers'
import { DirectoryLocked, lockDirectory } from './directory-lock.ts'
import { mendNative } from './native-connection.ts'
import { createPortableConnection, type EngineConnection } from './portable-connection.ts'
import { openSpool } from './spool.ts'

export type { EngineConnection }
export { DirectoryLocked }

export interface EngineOptions {
  /** The directory of the events store. One process at a time. */
  path: string
  /** Further directories that SQL reads with `file()`; the native engine reaches all of them anyway. */
  mounts?: readonly string[]
  onNotice: (text: string) => void
}

export interface Engine {
  connection: EngineConnection
  kind: 'native' | 'portable'
  /** Of ClickHouse, as `SELECT version()` tells it. */
  version: string
  /** Waits for what runs, then closes the connection and gives the directory back. */
  close(): Promise<void>
}

/** The embedded events engine: chDB where it has a build for this machine, else the same compiled to WebAssembly. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const directory = path.resolve(options.path)
  const unlock = await lockDirectory(directory)
  try {
    const native = await nativeConnection(directory, options.onNotice)
    const connection = native ?? (await createPortableConnection({ ...options, path: directory }))
    return {
      connection,
      kind: native ? 'native' : 'portable',
      version: await versionOf(connection),
      async close() {
        await connection.close()
        unlock()
      },
    }
  } catch (error) {
    unlock()
    throw error
  }
}

async function nativeConnection(
  directory: string,
  onNotice: (text: string) => void,
): Promise<EngineConnection | null> {
  const chdb = await import('chdb/connection').catch((error: unknown) => {
    onNotice(noticeOf(error))
    return null
  })
  if (!chdb) return null
  // Boundary: chDB declares the same interface by way of another package's copy of it.
  const open = () => chdb.createChdbConnection({ path: directory }) as unknown as EngineConnection
  return mendNative(open, openSpool(directory))
}

/** Expected where there is no build for the machine; anything else is told as it is, since it can be mended. */
function noticeOf(error: unknown): string {
  const isUnsupported = error instanceof Error && error.name === 'ChdbPlatformUnsupportedError'
  const reason = isUnsupported ? `no build for ${process.platform} ${process.arch}` : String(error)
  return `The native events engine cannot be used here (${reason}); the portable one, which is slower, takes its place`
}

async function versionOf(connection: EngineConnection): Promise<string> {
  const { stream } = await connection.query({ query: 'SELECT version() FORMAT TabSeparated' })
  return (await text(stream)).trim()
}
