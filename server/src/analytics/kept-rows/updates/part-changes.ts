/** An immutable piece of the table of events. */
export type Part = {
  /** No other part ever has it. */
  name: string
  partition: string
  /** The inserts that it consists of, counted for each partition. A merge of parts has those of all of them. */
  firstBlock: number
  lastBlock: number
  /** The last change of rows that it has: all with a lower number. Without one, its first insert. */
  version: number
  rows: number
  /** The whole second of its earliest event, and of its latest. */
  fromMs: number
  untilMs: number
}

/** [fromMs, toMs). */
export type Span = { fromMs: number; toMs: number }

const secondMs = 1_000

/**
 * The parts whose rows may make a difference between two states of the table. What a merge makes of parts that were
 * there has their rows; every other part that is new, and every one that is gone, has changed something.
 */
export function changesOf(before: readonly Part[], after: readonly Part[]): { added: Part[]; gone: Part[] } {
  const [known, current] = [namesOf(before), namesOf(after)]
  const added = after.filter(({ name }) => !known.has(name))
  const gone = before.filter(({ name }) => !current.has(name))
  const mergedFrom = new Map(added.map((part) => [part, gone.filter((one) => isWithin(one, part))]))
  const merged = added.filter((part) => isMergeOf(part, mergedFrom.get(part) ?? []))
  const explained = new Set([...merged, ...merged.flatMap((part) => mergedFrom.get(part) ?? [])])
  const isOpen = (part: Part) => !explained.has(part)
  return { added: added.filter(isOpen), gone: gone.filter(isOpen) }
}

/** The times of its events. */
export const spanOf = ({ fromMs, untilMs }: Part): Span => ({ fromMs, toMs: untilMs + secondMs })

const namesOf = (parts: readonly Part[]) => new Set(parts.map(({ name }) => name))

const isWithin = (inner: Part, outer: Part) =>
  inner.partition === outer.partition &&
  inner.firstBlock >= outer.firstBlock &&
  inner.lastBlock <= outer.lastBlock

/**
 * Whether these parts, and nothing else, were put together without a change. Their inserts need not follow each other,
 * since changes take numbers of the same kind; a part that is not known would have brought rows.
 */
function isMergeOf(whole: Part, parts: readonly Part[]): boolean {
  const rows = parts.reduce((sum, part) => sum + part.rows, 0)
  return parts.length > 0 && rows === whole.rows && parts.every(({ version }) => whole.version <= version)
}
