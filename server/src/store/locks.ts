/**
 * Work for one node at a time, each with a lock number that no other program on the same Postgres is likely
 * to use. They are listed together so that no two are equal: two kinds of work with one lock would wait for
 * each other.
 */
export const locks = {
  migrations: 7_304_041,
  settlingOfContracts: 7_304_042,
  deletionOfWorkspaces: 7_304_043,
  sweepOfForgotten: 7_304_044,
  firstRun: 7_304_045,
  rotationOfTokenKeys: 7_304_046,
  refreshOfAudiences: 7_304_047,
  lookAtElements: 7_304_048,
  removalOfOldEvents: 7_304_049,
  logHome: 7_304_040,
  /** And the three behind it, one for each lane. */
  quarantineDecisions: 7_304_050,
  /** And the three behind it. */
  deliveriesOfVendors: 7_304_060,
  /** And the 100,000 behind it: the workspace is added. */
  computingOfAttribution: 7_400_000,
} as const
