/** How a segment is loaded: with which token, and what must be checked first. */
export type Load = {
  token: string
  isAgain: boolean
  isShared: boolean
  hasDecisions: boolean
  /** Two nodes may both have set the same event aside: of a segment that contains both, one is stored. */
  hasLetters: boolean
}

/** The same token twice is stored once, so a segment whose load was interrupted is simply loaded again. */
export const loadSettings = (token: string) =>
  `SETTINGS insert_deduplicate = 1, insert_deduplication_token = '${token}', max_partitions_per_insert_block = 0,
   max_insert_threads = 1`

export const asTime = (column: string) => `fromUnixTimestamp64Milli(${column}, 'UTC')`
