import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'

const unpack = promisify(gunzip)

/** Packed bytes that are no gzip, or that unpack to more than is taken. */
export class Unreadable extends Error {}

/** Unpacks gzip up to so many bytes; a bomb is given up as soon as it has passed them. */
export async function unpackGzip(packed: Uint8Array, bytesMax: number): Promise<Buffer> {
  try {
    return await unpack(packed, { maxOutputLength: bytesMax })
  } catch (cause) {
    throw new Unreadable(`the bytes are no gzip of ${bytesMax} bytes at most`, { cause })
  }
}
