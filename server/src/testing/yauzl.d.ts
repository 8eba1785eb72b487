/** As much of the package as tests of archives use; it brings no types of its own. */
declare module 'yauzl' {
  import type { Readable } from 'node:stream'

  export type Entry = { fileName: string }
  export type Zip = {
    eachEntry: () => AsyncIterable<Entry>
    openReadStreamPromise: (entry: Entry) => Promise<Readable>
  }
  export function fromBufferPromise(buffer: Buffer, options?: object): Promise<Zip>
}
