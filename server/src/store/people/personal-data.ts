import type { ForgetMode } from '@assay/contract'
import type { DataSubject, PersonList } from './data-subject.ts'

/** One file of the archive that a person gets. */
export type ExportFile = { name: string; rows: (person: DataSubject) => AsyncIterable<unknown> }

/** Either what is exported of a place, or why nothing is. */
type Exported = readonly ExportFile[] | { because: string }

/** What a place covers; a test compares it with what the product really makes. */
type Covered = {
  /** Tables of the control store. */
  control?: readonly string[]
  /** Tables of the events store. */
  events?: readonly string[]
  /** Directories and files, below the data directory. */
  files?: readonly string[]
}

/** Rows of the events store that are found by a condition alone, so that many tables are counted in one statement. */
export type EventsRows = {
  table: string
  where: (list: PersonList) => string
  /** What makes a row, in a table whose merges drop older versions: a count must not depend on them. */
  key?: string
}

/**
 * Something that a module stores of a person. Export, forget, recount and certificate walk the same list of these, so a
 * place that is declared is in all of them. Counting and erasing may both be repeated.
 */
export type StoredPlace = {
  kind: 'table' | 'files'
  name: string
  covers: Covered
  /** What the certificate says was done. */
  method: (mode: ForgetMode) => string
  count: ((person: DataSubject) => Promise<number>) | EventsRows
  erase: (person: DataSubject, mode: ForgetMode) => Promise<void>
  /** Of a mode in which it is left as it is: why. */
  stays?: { mode: ForgetMode; because: string }
  /** Rows of others that name the person. They are counted for each who is forgotten with others. */
  isOfOthers?: true
  /** Also where nothing was counted: it sees to more than its rows. */
  isAlwaysErased?: true
  exported: Exported
  /** Every other node has its own files; it is notified, and does this. */
  eraseOnNode?: (workspaceId: string, originalIds: readonly string[], mode: ForgetMode) => Promise<void>
}

/** What a process remembers of people for a while. It is emptied on every node, and there is nothing to certify. */
type MemoryPlace = {
  kind: 'memory'
  name: string
  erase: (workspaceId: string, originalIds: readonly string[]) => Promise<void>
}

export type PersonalDataPlace = StoredPlace | MemoryPlace

export function isStored(place: PersonalDataPlace): place is StoredPlace {
  return place.kind !== 'memory'
}
