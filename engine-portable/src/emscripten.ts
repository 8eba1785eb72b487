import type { HostFile } from './files/pending-writes.ts'

/**
 * The part of Emscripten's run time that the engine is driven through. `chdb-wasm` publishes no types for it;
 * the names and the call order were read off `dist/chdb.mjs` of version 0.4.0.
 */

export interface Attributes {
  dev: number
  ino: number
  mode: number
  nlink: number
  uid: number
  gid: number
  rdev: number
  size: number
  atime: Date
  mtime: Date
  ctime: Date
  blksize: number
  blocks: number
}

export interface AttributeChange {
  mode?: number
  size?: number
  atime?: number
  mtime?: number
}

/** An entry of the engine's tree. `parent` of a mount's root is the root itself. */
export interface FileNode {
  id: number
  name: string
  mode: number
  parent: FileNode
  mount: { opts: { root: string } }
  node_ops: NodeOperations
  stream_ops: StreamOperations
}

/** One descriptor. `shared` is one object for a descriptor and all its duplicates. */
export interface FileStream {
  fd: number | null
  flags: number
  position: number
  node: FileNode
  shared: { hostFile?: HostFile }
}

export interface NodeOperations {
  getattr(node: FileNode): Attributes
  setattr(node: FileNode, change: AttributeChange): void
  lookup(parent: FileNode, name: string): FileNode
  mknod(parent: FileNode, name: string, mode: number): FileNode
  rename(node: FileNode, newParent: FileNode, newName: string): void
  unlink(parent: FileNode, name: string): void
  rmdir(parent: FileNode, name: string): void
  readdir(node: FileNode): string[]
  symlink(parent: FileNode, name: string, target: string): FileNode
  readlink(node: FileNode): string
  statfs(root: string): FileSystemFigures
}

export interface FileSystemFigures {
  bsize: number
  frsize: number
  blocks: number
  bfree: number
  bavail: number
  files: number
  ffree: number
}

export interface StreamOperations {
  open(stream: FileStream): void
  close(stream: FileStream): void
  dup(stream: FileStream): void
  getattr(stream: FileStream): Attributes
  setattr(stream: FileStream, change: AttributeChange): void
  read(stream: FileStream, heap: Int8Array, offset: number, length: number, position: number): number
  write(stream: FileStream, heap: Int8Array, offset: number, length: number, position: number): number
  llseek(stream: FileStream, offset: number, whence: number): number
  mmap(): never
  msync(): number
}

export interface FileSystemType {
  mount(mount: { opts: { root: string } }): FileNode
}

export interface EmscriptenFiles {
  ErrnoError: new (errno: number) => Error & { errno: number }
  createNode(parent: FileNode | null, name: string, mode: number, device: number): FileNode
  lookupNode(parent: FileNode, name: string): FileNode
  hashRemoveNode(node: FileNode): void
  closeStream(fd: number): void
  isDir(mode: number): boolean
  isFile(mode: number): boolean
  mkdirTree(path: string): void
  writeFile(path: string, content: string): void
  mount(type: FileSystemType, options: { root: string }, mountPoint: string): FileNode
}

/** Addresses cross as BigInt on their way in: the build has 64-bit memory. */
export interface EngineModule {
  FS: EmscriptenFiles
  _malloc(byteCount: bigint): bigint | number
  _free(address: bigint): void
  UTF8ToString(address: number): string
  ccall(
    name: string,
    returns: 'number',
    argumentTypes: 'pointer'[],
    values: (number | bigint)[],
  ): number | bigint
  ccall(name: string, returns: null, argumentTypes: 'pointer'[], values: (number | bigint)[]): void
}

export type EngineFactory = (options: {
  print(text: string): void
  printErr(text: string): void
  onAbort(reason: unknown): void
  /** The file that each further thread starts with. */
  mainScriptUrlOrBlob?: string
  instantiateWasm?(
    imports: Record<string, Record<string, unknown>>,
    received: (instance: unknown, module: unknown) => void,
  ): void
}) => Promise<EngineModule>
