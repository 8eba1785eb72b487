import { isRecord } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import type { DeadLetterFile, FiledLetter } from '../dead-letters/file.ts'
import { deleteOverflow, insertOverflow, measureOverflow, selectOverflow } from './overflow-store.ts'

/** No space is left for refused lines; their messages stay in the log. */
class OverflowFull extends Error {
  override name = 'OverflowFull'
}

/** For nodes that hold nothing on their disks: letters that their table did not take, in one without conditions. */
export async function openOverflow(sql: Sql, bytesMax: number): Promise<DeadLetterFile> {
  let size = await measureOverflow(sql)
  return {
    get letters() {
      return size.letters
    },
    get bytes() {
      return size.bytes
    },
    async append(letter) {
      const bytes = Buffer.from(JSON.stringify(letter))
      if (size.bytes + bytes.length > bytesMax) throw new OverflowFull('the table of dead letters is full')
      await insertOverflow(sql, letter.id, bytes)
      size = await measureOverflow(sql)
    },
    async read() {
      const rows = await selectOverflow(sql)
      size = { letters: rows.length, bytes: rows.reduce((sum, { letter }) => sum + letter.length, 0) }
      return rows.flatMap(({ letter }) => readLetter(letter))
    },
    async keep(isKept) {
      const rows = (await selectOverflow(sql)).flatMap(({ letter }) => readLetter(letter))
      const gone = rows.filter((letter) => !isKept(letter)).map(({ id }) => id)
      await deleteOverflow(sql, gone)
      size = await measureOverflow(sql)
    },
  }
}

function readLetter(bytes: Uint8Array): FiledLetter[] {
  const letter: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'))
  // boundary: only `append` writes them.
  return isRecord(letter) ? [letter as FiledLetter] : []
}
