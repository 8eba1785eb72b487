import type { Chunk } from '../../../analytics/tally/chunk.ts'
import type { RowNumbers } from '../../../analytics/tally/row-numbers.ts'
import { stageOfName, stageOfPath } from '../stages.ts'

/** Of an event: how far in the shop it is, whether it is an error, a purchase. */
export const [stageBits, errorBit, purchaseBit] = [3, 4, 8]

/** By the number of the text: the stage that a name says or -1, its other bits, and the stage of a path. */
type TextKinds = { stageOfNames: number[]; bitsOfNames: number[]; stageOfPaths: number[] }

/** Texts repeat from day to day: each is looked at once. */
const known = new WeakMap<RowNumbers, TextKinds>()

/** What each event of the chunk is. */
export function kindsOf({ count, texts }: Chunk, numbers: RowNumbers): Uint8Array {
  const { stageOfNames, bitsOfNames, stageOfPaths } = textKindsOf(numbers)
  const { name, path } = texts
  const kinds = new Uint8Array(count)
  for (let row = 0; row < count; row += 1) {
    const called = name[row] ?? 0
    const named = stageOfNames[called] ?? -1
    kinds[row] = (bitsOfNames[called] ?? 0) | (named === -1 ? (stageOfPaths[path[row] ?? 0] ?? 0) : named)
  }
  return kinds
}

function textKindsOf(numbers: RowNumbers): TextKinds {
  const kinds = known.get(numbers) ?? { stageOfNames: [], bitsOfNames: [], stageOfPaths: [] }
  known.set(numbers, kinds)
  const { name, path } = numbers.texts
  for (let number = kinds.stageOfNames.length; number < name.texts.length; number += 1) {
    const text = name.texts[number] ?? ''
    kinds.stageOfNames.push(stageOfName(text) ?? -1)
    kinds.bitsOfNames.push(text === 'error' ? errorBit : text === '$purchase' ? purchaseBit : 0)
  }
  for (let number = kinds.stageOfPaths.length; number < path.texts.length; number += 1)
    kinds.stageOfPaths.push(stageOfPath(path.texts[number] ?? ''))
  return kinds
}
