import type { RouteShape } from './route.ts'

/** Objects of a site that a route names by their id alone. */
const siteResources = [
  'alert',
  'annotation',
  'anomaly',
  'audience',
  'backfill',
  'board',
  'digest',
  'driftAlert',
  'errorRule',
  'funnel',
  'goal',
  'replay',
  'report',
  'share',
] as const
export type SiteResource = (typeof siteResources)[number]

/**
 * How a route stays within the site of a key that is bound to one.
 * - `member`: the request names its site there; any other site is refused, and if it is omitted this one is
 *   used.
 * - `resource`: the request names an object by the parameter `id`; one of another site is not found.
 * - `answer`: the answer names its site; one of another site is not found.
 * - `rule`: the handler itself checks the site of the key.
 * - `shared`: it contains nothing of any site, such as the contracts that all sites share.
 */
type SiteBinding =
  | { by: 'member'; part: 'params' | 'query' | 'body'; name: 'id' | 'siteId' | 'site_id' }
  | { by: 'resource'; resource: SiteResource }
  | { by: 'answer'; param: string; name: 'site_id' }
  | { by: 'rule' }
  | { by: 'shared' }

const inParams = { by: 'member', part: 'params', name: 'id' } as const
const inQuery = { by: 'member', part: 'query', name: 'siteId' } as const
const inSnakeQuery = { by: 'member', part: 'query', name: 'site_id' } as const
const inBody = { by: 'member', part: 'body', name: 'siteId' } as const
const rule = { by: 'rule' } as const
const shared = { by: 'shared' } as const
const of = (resource: SiteResource) => ({ by: 'resource', resource }) as const

/**
 * What a key that is bound to a site may call. Everything else concerns the whole workspace (members, keys,
 * people, the registry that all sites share, settings, integrations, transfers) and is refused, so a new
 * route is closed to such keys until it is listed here.
 */
const bindings: Readonly<Record<string, SiteBinding>> = {
  listSites: rule,
  getSite: inParams,
  updateSite: inParams,
  rotateSiteToken: inParams,
  getEventRetention: inParams,

  sdkConfig: rule,
  track: rule,
  batch: rule,
  page: rule,
  screen: rule,
  group: rule,
  importEvents: rule,
  posthogCapture: rule,
  clientBatch: rule,
  plausibleEvent: rule,
  umamiSend: rule,
  ga4Collect: rule,
  amplitudeEvents: rule,
  mixpanelTrack: rule,
  mixpanelTrackOne: rule,
  mixpanelEngage: rule,
  mixpanelEngageOne: rule,
  mixpanelImport: rule,
  matomoTrack: rule,
  matomoPixel: rule,
  identify: rule,
  alias: rule,
  recordConsent: rule,
  recordReplay: rule,
  validateEvents: rule,

  getReceipt: { by: 'answer', param: 'event_id', name: 'site_id' },
  listRecentEvents: inSnakeQuery,
  listQuarantined: inSnakeQuery,
  countQuarantined: inSnakeQuery,
  getQuarantined: { by: 'answer', param: 'id', name: 'site_id' },

  listContracts: shared,
  getContract: shared,
  generateCode: shared,
  listPacks: shared,
  getSeverities: inSnakeQuery,
  listProposals: inSnakeQuery,
  getCatalog: inQuery,
  listMappings: inQuery,
  getMapping: inQuery,
  createMapping: inBody,
  updateMapping: inBody,
  deleteMapping: inQuery,
  startBackfill: inBody,
  listBackfills: inQuery,
  getBackfill: of('backfill'),
  withdrawBackfill: of('backfill'),

  getOverview: inQuery,
  getLive: inQuery,
  runQuery: inBody,
  getQuery: rule,
  runSql: inBody,
  listDimensions: inQuery,
  listValues: inQuery,
  getFlowGraph: inQuery,
  listJourneys: inQuery,
  getRetention: inQuery,
  queryFunnel: inBody,
  listSiteFigures: rule,
  checkInstallation: inBody,
  queryDropOff: inBody,
  listFunnels: inQuery,
  updateFunnel: of('funnel'),
  getSiteHealth: inQuery,
  getMilestones: inQuery,
  listDrift: inQuery,
  updateDrift: of('driftAlert'),
  listAnnotations: inQuery,
  createAnnotation: inBody,
  updateAnnotation: of('annotation'),
  deleteAnnotation: of('annotation'),
  listAudiences: inQuery,
  createAudience: inBody,
  getAudience: of('audience'),
  updateAudience: of('audience'),
  deleteAudience: of('audience'),
  listAudienceMembers: of('audience'),

  listErrors: inQuery,
  getError: inQuery,
  updateError: inBody,
  getRevenueImpact: rule,
  postRevenueImpact: inBody,
  getOrderValueCorrelation: inQuery,
  listErrorRules: inQuery,
  createErrorRule: inBody,
  previewErrorRule: inBody,
  updateErrorRule: of('errorRule'),
  deleteErrorRule: of('errorRule'),

  listGoals: inQuery,
  createGoal: inBody,
  getGoal: of('goal'),
  updateGoal: of('goal'),
  deleteGoal: of('goal'),

  listReports: inQuery,
  createReport: inBody,
  getReport: of('report'),
  updateReport: of('report'),
  deleteReport: of('report'),
  getReportResult: of('report'),

  listBoards: inQuery,
  createBoard: inBody,
  getBoard: rule,
  updateBoard: of('board'),
  deleteBoard: of('board'),
  duplicateBoard: rule,
  getTileResult: rule,

  listShares: inQuery,
  createShare: inBody,
  getShare: of('share'),
  updateShare: of('share'),
  revokeShare: of('share'),

  listDigests: inQuery,
  createDigest: inBody,
  getDigest: of('digest'),
  updateDigest: of('digest'),
  deleteDigest: of('digest'),
  testDigest: of('digest'),
  listAlerts: inQuery,
  createAlert: inBody,
  getAlert: of('alert'),
  updateAlert: of('alert'),
  deleteAlert: of('alert'),
  previewAlert: inBody,
  getAlertPreview: of('alert'),
  listFirings: of('alert'),

  listReplays: inSnakeQuery,
  getReplay: of('replay'),
  listReplayEvents: of('replay'),
  deleteReplay: of('replay'),

  listOutcomes: inSnakeQuery,
  getAttributionReport: inSnakeQuery,
  listEventHealth: inSnakeQuery,
  getEventHealth: inSnakeQuery,
  listAnomalies: inSnakeQuery,
  acknowledgeAnomaly: of('anomaly'),
  muteAnomaly: of('anomaly'),
  getCoverage: inSnakeQuery,
  getConversionMismatch: inSnakeQuery,

  // Its tools call these routes with the same key.
  mcp: shared,
}

/** Null: a key that is bound to a site is refused. */
export function siteBindingOf({ id }: Pick<RouteShape, 'id'>): SiteBinding | null {
  return Object.hasOwn(bindings, id) ? (bindings[id] ?? null) : null
}
