import { Problem } from '../../problems.ts'
import { eventBytesMax, jsonBytes } from './size.ts'

/**
 * The context of a batch becomes part of each of its events, so it must fit into one. Checked once per batch.
 */
export function requireSmallContext(context: unknown): void {
  if (typeof context !== 'object' || context === null || jsonBytes(context) <= eventBytesMax) return
  throw new Problem('payload-too-large', {
    detail: `The context of a batch is part of every event in it: send at most ${eventBytesMax} bytes.`,
  })
}
