import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unpack = promisify(gunzip)

/** Bytes that are not gzip, or that decompress to more than allowed. */
export class Unreadable extends Error {}

/** Decompresses gzip up to a limit; a bomb is stopped as soon as it exceeds it. */
export async function unpackGzip(packed: Uint8Array, bytesMax: number): Promise<Buffer> {
  try {
    return await unpack(packed, { maxOutputLength: bytesMax })
  } catch (cause) {
    throw new Unreadable(`the bytes are no gzip of ${bytesMax} bytes at most`, { cause })
  }
}
