import fs from 'node:fs'

/** Items of one round. */
export const capacity = 256

/**
 * Words of the memory that the threads share. Items are numbered on and on, so that a thread which comes late to one
 * round cannot mistake an item of the next: those below `end` exist, those below `next` are taken.
 */
export const word = { end: 0, next: 1, done: 2, errorNumber: 3, items: 4 } as const

export const queueWords = word.items + capacity

/** The loop of a helper thread. */
export function serveQueue(words: Int32Array<SharedArrayBuffer>): never {
  for (;;) {
    const end = Atomics.load(words, word.end)
    takeItems(words)
    Atomics.wait(words, word.end, end)
  }
}

export function takeItems(words: Int32Array<SharedArrayBuffer>): void {
  for (;;) {
    const item = Atomics.load(words, word.next)
    if (item === Atomics.load(words, word.end)) return
    if (Atomics.compareExchange(words, word.next, item, (item + 1) | 0) !== item) continue
    try {
      syncOne(words[slot(item)] ?? 0)
    } catch (error) {
      Atomics.store(words, word.errorNumber, errorNumberOf(error))
    }
    Atomics.add(words, word.done, 1)
    Atomics.notify(words, word.done)
  }
}

export const slot = (item: number): number => word.items + ((item >>> 0) % capacity)

function syncOne(item: number): void {
  if (item < 0) fs.fsyncSync(-item)
  else fs.fdatasyncSync(item)
}

function errorNumberOf(error: unknown): number {
  if (error instanceof Error && 'errno' in error && typeof error.errno === 'number') return error.errno
  throw error
}
