import type { Options } from 'minisearch'

export type Section = {
  id: number
  /** Title of its page. */
  page: string
  /** Its heading; empty at the start of a page. */
  heading: string
  /** Relative to the root of the site, with its anchor. */
  path: string
  text: string
}

/** The same where the index is made and where it is read. */
export const indexOptions: Options<Section> = {
  fields: ['page', 'heading', 'text'],
  storeFields: ['page', 'heading', 'path'],
  searchOptions: {
    // Titles first; half a word finds the whole one, and a slip in a long word is forgiven.
    boost: { page: 4, heading: 3 },
    prefix: true,
    fuzzy: (term) => (term.length > 5 ? 0.2 : false),
    combineWith: 'AND',
    // The page of a task comes before the reference of its routes.
    boostDocument: (_id, _term, stored) => (String(stored?.path).startsWith('api/') ? 0.4 : 1),
  },
}
