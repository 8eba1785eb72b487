type StoredFile = { name: string; changedMs: number }

/**
 * Files of the product, by paths of plain names: on the disk of the one process, or where several nodes reach them.
 * They are read and written in pieces, so that none is ever in memory as a whole.
 */
export type StoredFiles = {
  /** Several nodes have them: what one of them wrote, another one reads. */
  readonly isShared: boolean
  /** Null where there is none. */
  size: (path: string) => Promise<number | null>
  /** Fewer bytes at its end, none behind it. */
  read: (path: string, offset: number, length: number) => Promise<Buffer>
  /** Takes the place of all that is behind the offset, which a file reaches. What is durable survives a power cut. */
  write: (path: string, offset: number, bytes: Buffer, by: Writer) => Promise<void>
  /** Takes the place of what has that name. */
  rename: (from: string, to: string) => Promise<void>
  /** A file, or a folder with everything in it. */
  remove: (path: string) => Promise<void>
  /** What lies in a folder. */
  list: (folder: string) => Promise<StoredFile[]>
}

/** Whose bytes they are, and whether the answer waits for the disk. */
type Writer = { workspaceId: string; isDurable: boolean }

/** Read at once; also the size of a chunk. */
export const pieceBytes = 1024 * 1024

export async function* streamFile(files: StoredFiles, path: string): AsyncGenerator<Buffer> {
  for (let offset = 0; ; ) {
    const bytes = await files.read(path, offset, pieceBytes)
    if (bytes.length === 0) return
    yield bytes
    offset += bytes.length
  }
}
