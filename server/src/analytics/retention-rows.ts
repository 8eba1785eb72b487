import type { KeptRead } from './kept-rows/kept-read.ts'
import type { RetentionPlan, RetentionRow } from './retention-store.ts'
import type { Chunk } from './tally/chunk.ts'
import type { ChunkRows } from './tally/event-rows.ts'
import { intervalsOf } from './tally/intervals.ts'

export const retentionRead: KeptRead<RetentionPlan, RetentionRow[]> = {
  file: import.meta.url,
  name: 'retentionRead',
  isOfVisits: false,
  takesFilters: false,
  read: (view, plan) => retentionOf(view.chunks(), plan),
}

/** How many people of each cohort were active in which interval, as `selectRetention` counts it. */
function retentionOf(rows: ChunkRows, { firstEvent, returnEvent, starts }: RetentionPlan): RetentionRow[] {
  const { texts } = rows.numbers.texts.name
  const numberOf = (name: string | undefined) => (name === undefined ? null : texts.indexOf(name))
  const activity = new Activity(rows.people.people, starts.length)
  const [first, back] = [numberOf(firstEvent), numberOf(returnEvent)]
  for (const chunk of rows.chunks)
    activity.add(chunk, { interval: intervalsOf(chunk, starts), current: rows.people.current, first, back })
  const { sizes, counts } = activity.cohorts()
  return starts.flatMap((cohort, index) => [
    ...(sizes[index] === 0 ? [] : [{ cohort, bucket: 0, people: sizes[index] ?? 0 }]),
    ...starts.flatMap((bucket, at) => {
      const people = counts[index * starts.length + at] ?? 0
      return people === 0 ? [] : [{ cohort, bucket, people }]
    }),
  ])
}

type Events = {
  interval: Int32Array
  /** Who everyone is by now; null where no one was merged. */
  current: Int32Array | null
  /** The numbers of the first event, and of those that count as a return; null for any. */
  first: number | null
  back: number | null
}

/** In which interval everyone began, and a bit for each in which they were active. */
class Activity {
  readonly #people: number
  readonly #intervals: number
  readonly #words: number
  readonly #began: Int32Array
  readonly #active: Int32Array

  constructor(people: number, intervals: number) {
    this.#people = people
    this.#intervals = intervals
    this.#words = (intervals + 31) >>> 5
    this.#began = new Int32Array(people).fill(intervals)
    this.#active = new Int32Array(people * this.#words)
  }

  add({ person: persons, texts, count }: Chunk, { interval, current, first, back }: Events): void {
    const [names, words, began, active] = [texts.name, this.#words, this.#began, this.#active]
    for (let row = 0; row < count; row += 1) {
      const stored = persons[row] ?? -1
      if (stored === -1) continue
      const person = current === null ? stored : (current[stored] ?? stored)
      const [at, name] = [interval[row] ?? 0, names[row]]
      if ((first === null || name === first) && at < (began[person] ?? 0)) began[person] = at
      if (back !== null && name !== back) continue
      const word = person * words + (at >>> 5)
      active[word] = (active[word] ?? 0) | (1 << (at & 31))
    }
  }

  /** How many began in each interval, and how many of them were active in each later one. */
  cohorts(): { sizes: Int32Array; counts: Int32Array } {
    const intervals = this.#intervals
    const [sizes, counts] = [new Int32Array(intervals), new Int32Array(intervals * intervals)]
    for (let person = 0; person < this.#people; person += 1) {
      const cohort = this.#began[person] ?? intervals
      if (cohort === intervals) continue
      sizes[cohort] = (sizes[cohort] ?? 0) + 1
      for (let word = cohort >>> 5; word < this.#words; word += 1) {
        let bits = this.#active[person * this.#words + word] ?? 0
        while (bits !== 0) {
          const at = word * 32 + 31 - Math.clz32(bits & -bits)
          bits &= bits - 1
          if (at > cohort) counts[cohort * intervals + at] = (counts[cohort * intervals + at] ?? 0) + 1
        }
      }
    }
    return { sizes, counts }
  }
}
