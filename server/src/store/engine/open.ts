import path from 'node:path'
import { text } from 'node:stream/consumers'
import { DirectoryLocked, lockDirectory } from './directory-lock.ts'
import type { EngineConnection } from './engine-connection.ts'
import { type EngineKind, EngineRefused, noteEngine, requirePortable } from './engine-note.ts'
import { withMemoryLimits } from './memory-limits.ts'
import { fixNative } from './native-connection.ts'
import { openSpool } from './spool.ts'

export type { EngineConnection, EngineKind }
export { DirectoryLocked, EngineRefused }

interface EngineOptions {
  /** The directory of the events store. One process at a time. */
  path: string
  /** Further directories that SQL reads with `file()`; the native engine reaches all of them anyway. */
  mounts?: readonly string[]
  /** Which engine to use; without it the native one where it is installed, else the portable one. */
  kind?: EngineKind | undefined
  onNotice: (text: string) => void
}

interface Engine {
  connection: EngineConnection
  kind: EngineKind
  /** Of ClickHouse, as `SELECT version()` returns it. */
  version: string
  /** Waits for what runs, then closes the connection and gives the directory back. */
  close(): Promise<void>
}

/** The embedded events engine: chDB where it has a build for this machine, else the same compiled to WebAssembly. */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  const directory = path.resolve(options.path)
  const unlock = await lockDirectory(directory)
  try {
    const native = options.kind === 'portable' ? null : await nativeConnection(directory, options)
    if (native === null) requirePortable(directory)
    const connection = native ?? (await portableConnection(directory, options))
    const kind = native ? 'native' : 'portable'
    const version = await versionOf(connection)
    noteEngine(directory, { kind, version })
    return {
      connection,
      kind,
      version,
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

/** The engines that can run on this machine, the faster one first. */
export async function installedEngines(): Promise<EngineKind[]> {
  const isNative = await import('chdb/connection').then(
    () => true,
    () => false,
  )
  return isNative ? ['native', 'portable'] : ['portable']
}

/** Whether this process will run the engine as WebAssembly. */
export async function isPortable(kind: EngineKind | undefined): Promise<boolean> {
  return (kind ?? (await installedEngines())[0]) === 'portable'
}

async function nativeConnection(
  directory: string,
  { kind, onNotice }: EngineOptions,
): Promise<EngineConnection | null> {
  const chdb = await import('chdb/connection').catch((error: unknown) => {
    if (kind === 'native') {
      throw new EngineRefused(
        `ASSAY_ENGINE is native: ${reasonOf(error)}. Set it to portable, or leave it out.`,
        { cause: error },
      )
    }
    onNotice(
      `The native events engine cannot be used here (${reasonOf(error)}); the slower portable one runs instead`,
    )
    return null
  })
  if (!chdb) return null
  // Boundary: chDB declares the same interface by way of another package's copy of it.
  const openOne = () => chdb.createChdbConnection({ path: directory }) as unknown as EngineConnection
  const open = () => withMemoryLimits(openOne())
  return fixNative(open, openSpool(directory))
}

/** Loaded only here: a process that runs the native engine needs nothing of it. */
async function portableConnection(
  directory: string,
  { mounts = [], onNotice }: EngineOptions,
): Promise<EngineConnection> {
  const { createPortableConnection } = await import('./portable-connection.ts')
  return createPortableConnection({ path: directory, mounts, onNotice })
}

/** A missing build is expected; any other reason is shown as it is, since it can be fixed. */
function reasonOf(error: unknown): string {
  const isUnsupported = error instanceof Error && error.name === 'ChdbPlatformUnsupportedError'
  return isUnsupported ? `there is no build for ${process.platform} ${process.arch}` : String(error)
}

async function versionOf(connection: EngineConnection): Promise<string> {
  const { stream } = await connection.query({ query: 'SELECT version() FORMAT TabSeparated' })
  return (await text(stream)).trim()
}
