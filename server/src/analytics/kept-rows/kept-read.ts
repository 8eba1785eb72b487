import type { KeptSize } from './kept-change.ts'
import type { KeptRange, KeptView } from './kept-view.ts'
import type { NeededDays } from './needed-days.ts'

/** A question to kept rows. It is answered in the thread that keeps them, which finds it by its file and its name. */
export type KeptRead<Options, Answer> = {
  /** The address of the file, and the name under which it exports this. */
  file: string
  name: string
  /** Whether it looks at visits and not at whose they are. */
  isOfVisits: boolean
  /** Whether it asks for the visits that fit a filter, and so can be asked with one. */
  takesFilters: boolean
  /** Whether what is counted of whole days for an overview is enough for it; else it needs their rows. */
  isOfSums?: (options: Options) => boolean
  /** Runs in the thread: options and answer are copied on the way. */
  read: (view: KeptView, options: Options) => Answer
}

/** What the thread is asked. */
export type KeptQuestion = Pick<KeptRead<unknown, unknown>, 'file' | 'name' | 'isOfVisits'> & {
  range: KeptRange
  needed: NeededDays
  options: unknown
}

export type KeptInput = {
  key: string
  /** Who was merged; null where no one was. The same may also be unknown, where the question does not need it. */
  merges: Uint8Array<ArrayBuffer> | 'same' | null
}

/** Lost where the thread was started again in between; the answer is null where rows cannot give it. */
export type KeptAnswer = { isLost: true } | ({ isLost: false; answer: unknown } & KeptSize)
