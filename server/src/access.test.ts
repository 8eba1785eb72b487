import { type RouteShape, roles, routes } from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestPerson, type TestWorkspace, type World } from './testing/harness.ts'
import { addMember } from './workspaces/members/users.ts'

/**
 * Who may call what, written again by hand: a route that is missing here, or that lets in other callers,
 * fails. The letters are explained below.
 */
const table: Readonly<Record<string, string>> = {
  listSites: 'r viewer',
  getSite: 'r viewer',
  createSite: 'w admin',
  updateSite: 'w admin',
  rotateSiteToken: 'w admin',
  getEventRetention: 'r viewer',
  getExchangeRates: 'r viewer',
  setExchangeRates: 'w admin',

  listWorkspaces: 'p',
  createWorkspace: 'p',
  getWorkspace: 'p',
  renameWorkspace: 'p owner',
  deleteWorkspace: 'p owner',
  restoreWorkspace: 'p owner',
  transferWorkspace: 'p owner',
  leaveWorkspace: 'p',
  startWorkspaceExport: 'w owner',
  getWorkspaceExport: 'r owner',
  readWorkspaceExport: 'r owner',
  startWorkspaceImport: 'w owner',
  getWorkspaceImport: 'r owner',
  sendWorkspaceImport: 'w owner',
  applyWorkspaceImport: 'w owner',
  getDemo: 'p',
  startDemo: 'p',
  removeDemo: 'p',

  listMembers: 'r viewer',
  changeMember: 'w admin',
  removeMember: 'w admin',
  inviteMember: 'w admin',
  listInvitations: 'r viewer',
  revokeInvitation: 'w admin',
  acceptInvitation: 'p',

  listSignInMethods: 'o',
  requestMagicLink: 'o',
  verifyMagicLink: 'o',
  beginOauth: 'o',
  finishOauth: 'o',
  exchangeOauthCode: 'o',
  refreshSession: 'o',
  getSigningKeys: 'o',
  getSession: 'p',
  listSessions: 'p',
  revokeSession: 'p',

  grantCommand: 'w admin',
  redeemCommand: 'o',
  mintApiKey: 'w admin',
  listApiKeys: 'r admin',
  updateApiKey: 'w admin',
  revokeApiKey: 'w admin',
  listAuditLog: 'r owner',

  listContracts: 'r viewer',
  createContract: 'w analyst',
  getContract: 'r viewer',
  publishContract: 'w analyst',
  deprecateContract: 'w analyst',
  archiveContract: 'w analyst',
  changeContracts: 'w analyst',
  validateEvents: 'r viewer',
  generateCode: 'r viewer',
  listPacks: 'r viewer',
  installPack: 'w analyst',
  getSeverities: 'r viewer',
  setSeverities: 'w analyst',
  listProposals: 'r viewer',

  createMapping: 'w analyst',
  listMappings: 'r viewer',
  getMapping: 'r viewer',
  updateMapping: 'w analyst',
  deleteMapping: 'w analyst',
  startBackfill: 'w analyst',
  listBackfills: 'r viewer',
  getBackfill: 'r viewer',
  withdrawBackfill: 'w analyst',
  getCatalog: 'r viewer',
  createDefinition: 'w analyst',
  listDefinitions: 'r viewer',
  updateDefinition: 'w analyst',

  sdkConfig: 's',
  track: 's',
  batch: 's',
  page: 's',
  screen: 's',
  group: 's',
  importEvents: 'i',
  posthogCapture: 's',
  clientBatch: 's',
  posthogFlags: 'o',
  posthogConfig: 'o',
  posthogConfigScript: 'o',
  rudderSourceConfig: 'o',
  plausibleEvent: 's',
  umamiSend: 's',
  ga4Collect: 's',
  amplitudeEvents: 's',
  mixpanelTrack: 's',
  mixpanelTrackOne: 's',
  mixpanelEngage: 's',
  mixpanelEngageOne: 's',
  mixpanelImport: 'i',
  matomoTrack: 's',
  matomoPixel: 's',
  // The key is in the address, since that is where Segment's SDK puts it.
  segmentSettings: 'o',
  siteIngest: 't',
  getReceipt: 'r viewer',
  listRecentEvents: 'r viewer',
  listQuarantined: 'r viewer',
  countQuarantined: 'r viewer',
  getQuarantined: 'r viewer',
  releaseQuarantined: 'w analyst',
  discardQuarantined: 'w analyst',
  listDeadLetters: 'r viewer',
  loadDeadLetters: 'w analyst',
  getDeadLetter: 'r viewer',
  loadDeadLetter: 'w analyst',
  discardDeadLetter: 'w analyst',

  resolveIdentity: 'r analyst',
  getPerson: 'r analyst',
  getTimeline: 'r analyst',
  listPeople: 'r analyst',
  addPersonNote: 'w analyst',
  listPersonNotes: 'r analyst',
  deletePersonNote: 'w analyst',
  mergePeople: 'w analyst',
  listLedger: 'r analyst',
  verifyLedger: 'r analyst',
  reverseMerge: 'w analyst',
  identify: 's',
  alias: 's',

  recordConsent: 'sp analyst',
  getConsent: 'r analyst',
  listConsents: 'r analyst',
  requestExport: 'w admin',
  requestForget: 'w admin',
  listSubjectRequests: 'r admin',
  getSubjectRequest: 'r admin',
  cancelSubjectRequest: 'w admin',
  // The link itself is the secret.
  downloadExport: 'o',
  listPrivacyKeys: 'o',

  createWebhookConnection: 'w admin',
  listWebhookConnections: 'r analyst',
  rotateWebhookSecrets: 'w admin',
  deleteWebhookConnection: 'w admin',
  listWebhookDeliveries: 'r analyst',
  getWebhookDelivery: 'r analyst',
  replayWebhookDelivery: 'w admin',
  createDestination: 'w admin',
  listDestinations: 'r analyst',
  getDestination: 'r analyst',
  updateDestination: 'w admin',
  rotateDestinationSecret: 'w admin',
  deleteDestination: 'w admin',
  testDestination: 'w admin',
  listDispatches: 'r analyst',
  replayDispatches: 'w admin',
  // Only the signature over the body counts, so no credential makes a difference.
  receiveWebhook: 'o',

  getOverview: 'r viewer',
  getLive: 'r viewer',
  runQuery: 'r viewer',
  runSql: 'r analyst',
  getQuery: 'r viewer',
  listDimensions: 'r viewer',
  listValues: 'r viewer',

  listAnnotations: 'r viewer',
  createAnnotation: 'w analyst',
  updateAnnotation: 'w analyst',
  deleteAnnotation: 'w analyst',
  listGoals: 'r viewer',
  createGoal: 'w analyst',
  getGoal: 'r viewer',
  updateGoal: 'w analyst',
  deleteGoal: 'w analyst',
  listReports: 'r viewer',
  createReport: 'w analyst',
  getReport: 'r viewer',
  updateReport: 'w analyst',
  deleteReport: 'w analyst',
  getReportResult: 'r viewer',
  listBoards: 'r viewer',
  createBoard: 'w analyst',
  getBoard: 'r viewer',
  updateBoard: 'w analyst',
  deleteBoard: 'w analyst',
  duplicateBoard: 'w analyst',
  getTileResult: 'r viewer',
  listShares: 'r viewer',
  createShare: 'w analyst',
  getShare: 'r viewer',
  updateShare: 'w analyst',
  revokeShare: 'w analyst',
  getShared: 'o',
  getSharedResult: 'o',
  listDigests: 'r viewer',
  createDigest: 'w analyst',
  getDigest: 'r viewer',
  updateDigest: 'w analyst',
  deleteDigest: 'w analyst',
  testDigest: 'w analyst',
  getSubscription: 'o',
  unsubscribe: 'o',
  listAlerts: 'r viewer',
  createAlert: 'w analyst',
  getAlert: 'r viewer',
  updateAlert: 'w analyst',
  deleteAlert: 'w analyst',
  previewAlert: 'r viewer',
  getAlertPreview: 'r viewer',
  listFirings: 'r viewer',
  listAudiences: 'r viewer',
  createAudience: 'w analyst',
  getAudience: 'r viewer',
  updateAudience: 'w analyst',
  deleteAudience: 'w analyst',
  listAudienceMembers: 'r analyst',

  recordReplay: 's',
  listReplays: 'r analyst',
  getReplay: 'r analyst',
  listReplayEvents: 'r analyst',
  deleteReplay: 'w analyst',

  getAttributionPolicy: 'r viewer',
  setAttributionPolicy: 'w analyst',
  computeAttribution: 'w analyst',
  getAttributionJob: 'r viewer',
  getTouchpoints: 'r analyst',
  listOutcomes: 'r analyst',
  explainOutcome: 'r analyst',
  getAttributionReport: 'r viewer',
  checkInstallation: 'w analyst',
  listSiteFigures: 'r viewer',
  queryFunnel: 'r viewer',
  queryDropOff: 'r viewer',
  listFunnels: 'r viewer',
  updateFunnel: 'w analyst',
  getFlowGraph: 'r viewer',
  listJourneys: 'r viewer',
  getRetention: 'r viewer',
  listDrift: 'r viewer',
  updateDrift: 'w analyst',
  getSiteHealth: 'r viewer',
  getMilestones: 'r viewer',

  listErrors: 'r viewer',
  getError: 'r viewer',
  updateError: 'w analyst',
  getRevenueImpact: 'r viewer',
  postRevenueImpact: 'r viewer',
  getOrderValueCorrelation: 'r viewer',
  listErrorRules: 'r viewer',
  createErrorRule: 'w analyst',
  previewErrorRule: 'r viewer',
  updateErrorRule: 'w analyst',
  deleteErrorRule: 'w analyst',

  listEventHealth: 'r viewer',
  getEventHealth: 'r viewer',
  listAnomalies: 'r viewer',
  acknowledgeAnomaly: 'w analyst',
  muteAnomaly: 'w analyst',
  getHealthSettings: 'r viewer',
  getUsage: 'r viewer',
  setHealthSettings: 'w analyst',
  getCoverage: 'r viewer',
  getConversionMismatch: 'r viewer',
  checkDuplicate: 'r viewer',
}

const credentials = [
  'none',
  'siteToken',
  'public',
  'secret',
  'live',
  'test',
  'viewer',
  'analyst',
  'admin',
  'owner',
] as const
type Credential = (typeof credentials)[number]

const yes = 'allowed'
const unknown = 'unauthenticated'
const no = 'insufficient-scope'
type Expected = Record<Credential, string>

const everybody = (answer: string): Expected => {
  const all = credentials.map((credential) => [credential, answer])
  return { none: answer, ...Object.fromEntries(all) }
}
const peopleFrom = (role: string | undefined) =>
  Object.fromEntries(roles.map((one, rank) => [one, rank >= roles.indexOf(asRole(role)) ? yes : no]))
const asRole = (text: string | undefined) => roles.find((role) => role === text) ?? 'viewer'

/**
 * `o` anyone · `t` a site's token in the body · `s` sends · `sp` sends, and people too · `i` sends history ·
 * `r`, `w` reads, writes · `p` a person, about themselves.
 */
function expectedOf(entry: string): Expected {
  const [kind, role] = entry.split(' ')
  const strangers = { none: unknown, siteToken: unknown }
  switch (kind) {
    case 'o':
      return everybody(yes)
    case 't':
      return { ...everybody(unknown), siteToken: yes }
    case 's':
      return { ...everybody(no), ...strangers, public: yes, secret: yes, live: yes, test: yes }
    case 'sp':
      return { ...expectedOf('s'), ...peopleFrom(role) }
    case 'i':
      return { ...everybody(no), ...strangers, secret: yes, live: yes, test: yes }
    case 'r':
      return { ...everybody(yes), ...strangers, public: no, ...peopleFrom(role) }
    case 'w':
      return { ...everybody(yes), ...strangers, public: no, test: no, ...peopleFrom(role) }
    case 'p':
      return { ...everybody(no), ...strangers, ...peopleFrom(role) }
    default:
      throw new Error(`unknown entry ${entry}`)
  }
}

let world: World
let workspace: TestWorkspace
/** Where the same people have the same roles, and which is deleted and taken back on the way. */
let second: TestWorkspace
const people = new Map<Credential, TestPerson>()

beforeAll(async () => {
  world = await startWorld()
  workspace = await world.newWorkspace()
  second = await world.newWorkspace()
  for (const role of roles) {
    const person = await world.signIn(role, workspace)
    await addMember(world.product.deps.control, Date.now, second.workspaceId, person.userId, role)
    people.set(role, person)
  }
})
afterAll(() => world?.close())

function bearerOf(credential: Credential): string | null {
  switch (credential) {
    case 'none':
      return null
    case 'siteToken':
      return workspace.siteToken
    case 'public':
    case 'secret':
    case 'live':
    case 'test':
      return workspace.keys[credential]
    default:
      return people.get(credential)?.accessToken ?? null
  }
}

/** The role is checked in the handler there, so the call has to be valid. */
const soundBodies: Readonly<Record<string, object>> = {
  renameWorkspace: { name: 'Test' },
  transferWorkspace: { user_id: 'usr_none' },
}

/** As little as gets past the guard and does nothing behind it: a thing that is not there, a body that is none. */
function requestOf(route: RouteShape, credential: Credential): { path: string; body: object } {
  const isOwnersOwn = table[route.id] === 'p owner'
  const id = isOwnersOwn ? second.workspaceId : 'none_such'
  const path = route.path.replace(/:[A-Za-z_]+/g, id)
  const withToken = { siteId: workspace.siteId, token: workspace.siteToken, events: [] }
  if (table[route.id] === 't' && credential === 'siteToken') return { path, body: withToken }
  return { path, body: soundBodies[route.id] ?? [] }
}

async function ask(route: RouteShape, credential: Credential): Promise<{ status: number; slug: string }> {
  const bearer = bearerOf(credential)
  const { path, body } = requestOf(route, credential)
  const response = await fetch(`${world.product.url}${path}`, {
    method: route.method,
    redirect: 'manual',
    headers: {
      ...(bearer !== null && { authorization: `Bearer ${bearer}` }),
      ...(route.method !== 'GET' && { 'content-type': 'application/json' }),
    },
    ...(route.method !== 'GET' && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const isProblem = response.headers.get('content-type')?.includes('problem+json') === true
  return {
    status: response.status,
    slug: isProblem ? (String(JSON.parse(text).type).split('/').pop() ?? '') : '',
  }
}

test('every route has its line in the table, and every line its route', () => {
  expect(Object.keys(table).toSorted()).toEqual(routes.map(({ id }) => id).toSorted())
})

describe('every credential', () => {
  const guarded = routes.filter(({ id }) => table[id] !== undefined && table[id] !== 'o')
  test.each(guarded.map((route) => ({ id: route.id, route })))(
    'is let in by $id or gets the exact reason',
    async ({ route }) => {
      const expected = expectedOf(table[route.id] ?? '')
      const found: Partial<Expected> = {}
      for (const credential of credentials) {
        const { status, slug } = await ask(route, credential)
        expect(status, `${credential}: ${slug}`).toBeLessThan(500)
        found[credential] = slug === unknown || slug === no ? slug : yes
      }
      expect(found).toEqual(expected)
    },
  )

  const open = routes.filter(({ id }) => table[id] === 'o')
  test.each(open.map((route) => ({ id: route.id, route })))(
    'makes no difference to $id',
    async ({ route }) => {
      const first = await ask(route, 'none')
      for (const credential of credentials) expect(await ask(route, credential)).toEqual(first)
    },
  )
})
