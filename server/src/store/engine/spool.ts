import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** A place for rows on their way into the engine, so that they need not all be in memory. */
export interface Spool {
  /** Null without a call if there are no rows: the engine would refuse, to a client it is a success. */
  withRows<T>(rows: Readable | string, act: (file: string) => Promise<T>): Promise<T | null>
}

/** Inside the engine's own directory, which it can always read. What a killed process left there is removed. */
export function openSpool(home: string): Spool {
  const directory = path.join(home, 'spool')
  fs.rmSync(directory, { recursive: true, force: true })
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 })
  return {
    async withRows(rows, act) {
      const file = path.join(directory, `${randomUUID()}.rows`)
      try {
        await pipeline(typeof rows === 'string' ? [rows] : rows, fs.createWriteStream(file, { mode: 0o600 }))
        return fs.statSync(file).size === 0 ? null : await act(file)
      } finally {
        fs.rmSync(file, { force: true })
      }
    },
  }
}
