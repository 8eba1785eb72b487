import { replayLimits } from '@assay/contract'
import { Unreadable, unpackGzip } from '../platform/files/bounded-gzip.ts'

/** What one stored chunk holds, and how long it is unpacked. */
type RecordedChunk = { events: readonly unknown[]; characters: number }

/** A character of JavaScript takes three bytes of UTF-8 at most. */
const bytesPerCharacterMax = 3
export const chunkBytesMax = bytesPerCharacterMax * replayLimits.chunkCharactersMax

/**
 * Null for bytes that no recorder could have sent: not gzip, too large, or not a list. Readers and exports
 * continue with the other chunks.
 */
export async function readChunk(packed: Uint8Array): Promise<RecordedChunk | null> {
  try {
    const text = (await unpackGzip(packed, chunkBytesMax)).toString('utf8')
    if (text.length > replayLimits.chunkCharactersMax) return null
    const events: unknown = JSON.parse(text)
    return Array.isArray(events) ? { events, characters: text.length } : null
  } catch (error) {
    if (error instanceof Unreadable || error instanceof SyntaxError) return null
    throw error
  }
}
