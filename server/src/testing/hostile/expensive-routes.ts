/** Each starts work that continues after the answer. */
export const expensiveRoutes: ReadonlySet<string> = new Set([
  'startWorkspaceExport',
  'requestForget',
  'requestExport',
  'computeAttribution',
  'startBackfill',
  'createWorkspace',
  'createAudience',
  'createDestination',
  'createContract',
  'changeContracts',
])
