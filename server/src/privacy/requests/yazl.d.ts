/** As much of the package as we use; it brings no types of its own. */
declare module 'yazl' {
  import type { Readable } from 'node:stream'

  export class ZipFile {
    readonly outputStream: Readable
    addReadStreamLazy(
      path: string,
      open: (give: (error: Error | null, stream: Readable) => void) => void,
    ): void
    end(): void
    on(event: 'error', listener: (error: Error) => void): this
  }
}
