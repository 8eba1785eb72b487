/**
 * Whom and what a request is about, in a table that lies in memory only. Statements that rewrite parts are kept as text
 * on disk, so they name this list and never what is in it.
 */
export type PersonList = {
  name: string
  needleGroups: number
  /** Several requests may be done together: whose part of the list this is, or '' for all of them. */
  of: string
}

/**
 * Whom a request is about, in every form in which a module may have stored them. Several requests that are done
 * together are about all of theirs.
 */
export type DataSubject = {
  workspaceId: string
  /** Empty without a current request: events of an erased person arrived late. */
  requestIds: readonly string[]
  /** Who they are now. */
  personIds: readonly string[]
  /** All original ids of their events. */
  originalIds: readonly string[]
  /** What others call them: identifiers, e-mail addresses and phone numbers, in their normal form. */
  values: readonly string[]
  /** The same as a list in the events store. */
  list: PersonList
}
