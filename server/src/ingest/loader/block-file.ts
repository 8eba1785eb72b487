import { readFileSync, writeFileSync } from 'node:fs'
import { LineBlocks } from './blocks/line-block.ts'
import { lineColumns } from './line-columns.ts'
import { kindColumns, kindsOf } from './line-kinds.ts'
import type { Staged } from './staged-store.ts'

/** Writes a segment as a file of blocks, using its memory again for the next one. */
export class BlockFiles {
  readonly #blocks = new LineBlocks(lineColumns, undefined, kindColumns)

  /** What the lines are; null if only the store's own reader may judge them, and then there is no file. */
  write(source: string, target: string): Staged | null {
    const blocks = this.#blocks.encode(readFileSync(source))
    if (blocks === null) return null
    writeFileSync(target, blocks, { mode: 0o600 })
    return kindsOf(this.#blocks.held)
  }
}
