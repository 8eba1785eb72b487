/** Reads that a release or a discard changes. */
export const quarantineReads = [
  'countQuarantined',
  'listQuarantined',
  'getQuarantined',
  'getCatalog',
  'getOverview',
] as const
