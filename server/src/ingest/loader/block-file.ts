import { readFileSync, writeFileSync } from 'node:fs'
import { LineBlocks } from './blocks/line-block.ts'
import { lineColumns } from './line-columns.ts'

/** Writes a segment as a file of blocks, using its memory again for the next one. */
export class BlockFiles {
  readonly #blocks = new LineBlocks(lineColumns)

  /** False if only the store's own reader may judge the lines; then there is no file. */
  write(source: string, target: string): boolean {
    const blocks = this.#blocks.encode(readFileSync(source))
    if (blocks === null) return false
    writeFileSync(target, blocks, { mode: 0o600 })
    return true
  }
}
