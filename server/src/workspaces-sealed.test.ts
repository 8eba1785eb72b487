import {
  addPersonNote,
  createAlert,
  createAnnotation,
  createAudience,
  createBoard,
  createContract,
  createDestination,
  createDigest,
  createGoal,
  createMapping,
  createReport,
  createShare,
  createWebhookConnection,
  identify,
  inviteMember,
  listApiKeys,
  listAuditLog,
  listDeadLetters,
  listQuarantined,
  pathParameters,
  type RouteShape,
  recordReplay,
  routes,
  track,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorld, type TestPerson, type TestWorkspace, type World } from './testing/harness.ts'
import { logLine, refusedBy } from './testing/log-lines.ts'

let world: World
let ours: TestWorkspace
let us: TestPerson
/** One of everything that the other workspace has. */
const foreign: string[] = []
/** The least that a recording consists of. */
const judged = {
  question: { metric: 'visitors' as const },
  interval: 'day' as const,
  condition: { type: 'below' as const, value: 1 },
}
const watched = { name: 'Sealed', ...judged, isPaused: true }
const chunk = {
  chunk_id: 'chunk-of-one',
  session_id: 's',
  anonymous_id: 'a',
  sent_at: 1,
  events: [{ type: 4, timestamp: 1, data: {} }],
}

beforeAll(async () => {
  world = await startWorld()
  ours = await world.newWorkspace()
  us = await world.signIn('owner', ours)
  // Strict, so that an unregistered event is quarantined.
  const theirs = await world.newWorkspace({ preset: 'strict' })
  const them = await world.signIn('owner', theirs)
  const { siteId } = theirs
  await theirs.call(track, { body: { event: 'sealed_away', event_id: 'sealed-1', user_id: 'u' } })
  await theirs.call(createContract, { body: { key: 'their_event', status: 'published' } })
  const mapping = { siteId, source: 'bought_it', target: '$purchase' }
  const { body: made } = await theirs.call(createMapping, { body: mapping })
  const { body: invitation } = await theirs.call(inviteMember, {
    body: { email: 'guest@sealed.example', role: 'viewer' },
  })
  const { body: keys } = await theirs.call(listApiKeys, { query: { limit: 1 } })
  const { body: log } = await theirs.call(listAuditLog, { query: { limit: 1 } })
  const known = { anonymous_id: 'sealed_device', user_id: 'sealed_user' }
  const { body: person } = await theirs.call(identify, { body: known })
  const { body: note } = await theirs.call(addPersonNote, {
    params: { id: person.person_id },
    body: { text: 'Sealed' },
  })
  const { body: connection } = await theirs.call(createWebhookConnection, {
    body: { provider: 'stripe', site_id: siteId, secrets: ['whsec_sealed'] },
  })
  const { body: destination } = await theirs.call(createDestination, {
    body: { name: 'Sealed', url: 'https://sealed.example/' },
  })
  const everybody = { all: [{ field: 'events', op: 'gt' as const, value: 0 }] }
  const { body: audience } = await theirs.call(createAudience, {
    body: { siteId, name: 'Sealed', rules: everybody },
  })
  const saved = await saveThings(theirs)
  const recorded = { replay_id: 'sealed-replay', ...chunk }
  await theirs.call(recordReplay, { body: recorded }, { key: theirs.keys.public })
  await world.product.deps.log.append(logLine(theirs, 'sealed-2', refusedBy.staging), 1)
  await theirs.settle()
  const { body: held } = await theirs.call(listQuarantined, { query: {} })
  const { body: letters } = await theirs.call(listDeadLetters, { query: {} })
  const ids = [
    siteId,
    theirs.workspaceId,
    them.userId,
    made.id,
    invitation.id,
    'their_event',
    'sealed-1',
    person.person_id,
    note.id,
    connection.id,
    destination.id,
    ...saved,
    `traffic.${siteId}`,
    'id' in audience ? audience.id : '',
    recorded.replay_id,
  ]
  foreign.push(...ids, ...[keys, log, held, letters].flatMap(({ data }) => data.map(({ id }) => id)))
  expect(foreign).toHaveLength(25)
})
beforeAll(() => watchReports(ours))
afterAll(() => world?.close())

/** A report is looked up only where the site is one of the caller's. */
function watchReports({ siteId }: TestWorkspace): void {
  const { question: _, ...asked } = judged
  bodies['createAlert by reportId'] = { siteId, name: 'x', ...asked }
  bodies['previewAlert by reportId'] = { siteId, ...asked }
}

/** What members save to look at again, or to show. */
async function saveThings(theirs: TestWorkspace): Promise<string[]> {
  const { siteId } = theirs
  const { body: annotation } = await theirs.call(createAnnotation, { body: { siteId, text: 'Sealed' } })
  const { body: goal } = await theirs.call(createGoal, {
    body: { siteId, name: 'Sealed', event: '$signup' },
  })
  const { body: report } = await theirs.call(createReport, {
    body: { siteId, kind: 'overview', name: 'Sealed', question: {} },
  })
  const { body: board } = await theirs.call(createBoard, { body: { siteId, name: 'Sealed' } })
  const { body: share } = await theirs.call(createShare, { body: { siteId, type: 'overview' } })
  const mailed = { siteId, type: 'overview' as const, recipients: ['sealed@example.com'] }
  const { body: digest } = await theirs.call(createDigest, { body: mailed })
  const { body: alert } = await theirs.call(createAlert, { body: { ...watched, siteId } })
  return [annotation, goal, report, board, share, digest, alert].map(({ id }) => id)
}

/** Members of a request by which it can name a thing of a workspace. */
const naming = /(?:^|_)(?:id|ids|key)$|Id$|^connection$/
/** Not names of things: the word of the caller for one of their own. */
const ownWords = new Set([
  'anonymous_id',
  'previous_id',
  'subject_request_id',
  'actor',
  'object_id',
  'write_key',
  // The name of an event.
  'event_key',
])

type Place = { route: RouteShape; where: 'params' | 'query' | 'body' | 'header'; name: string }

function placesOf(route: RouteShape): Place[] {
  const inPath = pathParameters(route.path).map((name) => ({ route, where: 'params' as const, name }))
  const members = (shape: object | undefined) =>
    Object.entries(shape !== undefined && 'properties' in shape ? Object(shape.properties) : {})
  const named = (where: 'query' | 'body', shape: object | undefined) =>
    members(shape)
      .filter(([name, type]) => naming.test(name) && !ownWords.has(name) && Object(type).type === 'string')
      .map(([name]) => ({ route, where, name }))
  const isOfWorkspace = ['read', 'write', 'record'].includes(route.access)
  const inHeader = { route, where: 'header' as const, name: 'x-assay-workspace' }
  return [
    ...inPath,
    ...named('query', route.query),
    ...named('body', route.body),
    ...(isOfWorkspace ? [inHeader] : []),
  ]
}

const places = routes
  .filter((route) => !['siteToken', 'open', 'vendor'].includes(route.access))
  .flatMap(placesOf)

/** Enough of a valid body that the request gets as far as looking the thing up. */
const bodies: Record<string, object> = {
  createMapping: { siteId: 'x', source: 'a_b', target: '$purchase' },
  updateMapping: { enabled: false },
  recordConsent: { anonymous_id: 'a' },
  requestExport: { regime: 'gdpr' },
  requestForget: { regime: 'gdpr' },
  // Exactly one of three says who it is about.
  'recordConsent by person_id': { categories: { ad_storage: 'denied' } },
  'recordConsent by user_id': { categories: { ad_storage: 'denied' } },
  startBackfill: { from: '2026-01-01' },
  mintApiKey: { kind: 'secret', name: 'x' },
  updateApiKey: { name: 'x' },
  updateSite: { name: 'x' },
  createSite: { name: 'x', domain: 'x.example' },
  track: { event: '$login', user_id: 'u', properties: { method: 'x' } },
  batch: { batch: [{ event: '$login', user_id: 'u', properties: { method: 'x' } }] },
  importEvents: { batch: [{ event: '$login', user_id: 'u', properties: { method: 'x' } }] },
  'identify by event_id': { user_id: 'u' },
  'alias by event_id': { previous_id: 'a', user_id: 'u' },
  createWebhookConnection: { provider: 'stripe', site_id: 'x', secrets: ['x'] },
  rotateWebhookSecrets: { secrets: ['x'] },
  recordReplay: { replay_id: 'a-replay', ...chunk },
  createDestination: { name: 'x', url: 'https://x.example/' },
  updateDestination: { name: 'x' },
  createDefinition: { name: 'a_b' },
  updateDefinition: { match: null },
  createContract: { key: 'a_b' },
  createAnnotation: { siteId: 'x', text: 'x' },
  updateAnnotation: { text: 'x' },
  createGoal: { siteId: 'x', name: 'x', event: 'x' },
  updateGoal: { name: 'x' },
  createReport: { siteId: 'x', kind: 'overview', name: 'x', question: {} },
  updateReport: { name: 'x' },
  createBoard: { siteId: 'x', name: 'x' },
  updateBoard: { name: 'x' },
  duplicateBoard: {},
  createShare: { siteId: 'x', type: 'overview' },
  updateShare: { theme: 'dark' },
  createDigest: { siteId: 'x', type: 'overview', recipients: ['x@example.com'] },
  updateDigest: { hour: 9 },
  testDigest: { email: 'x@example.com' },
  createAlert: { siteId: 'x', ...watched },
  previewAlert: { siteId: 'x', ...judged },
  updateAlert: { name: 'x' },
  createAudience: { siteId: 'x', name: 'x', rules: { all: [{ field: 'events', op: 'gt', value: 1 }] } },
  updateAudience: { name: 'x' },
  changeContracts: { contracts: [{ key: 'a_b', expected_version: null }], dry_run: true },
  updateDrift: { status: 'muted' },
  grantCommand: { code_challenge: 'x'.repeat(43), name: 'x' },
  sendWorkspaceImport: { offset: 0, text: '' },
  applyWorkspaceImport: {},
  updateError: { siteId: 'x', state: 'muted' },
  createErrorRule: { siteId: 'x', match: { title: '*' }, errorGroup: 'x' },
  previewErrorRule: { siteId: 'x', rule: { match: { title: '*' }, errorGroup: 'x' } },
  updateErrorRule: { errorGroup: 'x' },
  postRevenueImpact: { siteId: 'x' },
  addPersonNote: { text: 'x' },
  reverseMerge: { reason: 'x' },
  updateFunnel: { status: 'muted' },
  checkInstallation: { siteId: 'x' },
  queryFunnel: { siteId: 'x', steps: [{ event: 'a' }] },
  queryDropOff: { siteId: 'x', steps: [{ event: 'a' }, { event: 'b' }], step: 1 },
  runQuery: { siteId: 'x', metrics: ['visitors'] },
  runSql: { siteId: 'x', query: 'SELECT 1' },
  mergePeople: { survivor_id: 'per_x', absorbed_id: 'per_y', reason: 'x' },
  changeMember: { role: 'viewer' },
  inviteMember: { email: 'x@x.example', role: 'viewer' },
  renameWorkspace: { name: 'x' },
  createWorkspace: { name: 'x' },
  transferWorkspace: { user_id: 'x' },
  muteAnomaly: { days: 1 },
  validateEvents: { event: '$login', user_id: 'u', properties: { method: 'x' } },
}
/** What a query has to hold besides. */
const queries: Record<string, Record<string, string>> = {
  generateCode: { language: 'typescript' },
  listMappings: { siteId: 'x' },
  getOverview: { siteId: 'x' },
  listDrift: { siteId: 'x' },
  getSiteHealth: { siteId: 'x' },
  getMilestones: { siteId: 'x' },
  listErrors: { siteId: 'x' },
  getError: { siteId: 'x' },
  listErrorRules: { siteId: 'x' },
  getOrderValueCorrelation: { siteId: 'x', errorGroup: 'x' },
  getLive: { siteId: 'x' },
  getQuery: { q: '{"siteId":"x","metrics":["visitors"]}' },
  listDimensions: { siteId: 'x' },
  listValues: { siteId: 'x', dimension: 'country' },
  getAttributionReport: { from: '2026-01-01', to: '2026-01-02' },
  listOutcomes: { site_id: 'x', from: '2026-01-01', to: '2026-01-02' },
  getFlowGraph: { siteId: 'x' },
  listFunnels: { siteId: 'x' },
  listJourneys: { siteId: 'x' },
  getRetention: { siteId: 'x' },
}

/** Where a thing of a kind is named, by how the ids of that kind begin. */
const kinds: Readonly<Record<string, RegExp>> = {
  site_: / (?:siteId|site_id)$|\/sites\/.* :id$/,
  ws_: / x-assay-workspace$|\/workspaces\/.* :id$/,
  usr_: / user_id$|\/members\/.* :id$/,
  inv_: /\/invitations\/.* :id$/,
  key_: /\/api-keys\/.* :id$/,
  per_: / (?:person_id|survivor_id|absorbed_id|:personId)$|\/identity\/person\/.* :id$/,
  note_: / :note_id$/,
  map_: /\/event-mappings\/:id.* :id$/,
  their_event: /\/registry\/.* :?key$|\/health\/events\/.* :key$/,
  con_: / connection_id$|\/webhooks\/connections\/.* :id$/,
  dst_: /\/destinations\/.* :id$/,
  aud_: /\/audiences\/.* :id$/,
  ann_: /\/annotations\/.* :id$/,
  goal_: /\/goals\/.* :id$/,
  rep_: / reportId$|\/reports\/.* :id$/,
  brd_: /\/boards\/.* :id$/,
  shr_: /\/shares\/.* :id$/,
  dig_: /\/digests\/.* :id$/,
  qtn_: /\/quarantine\/.* :id$/,
  dl_: /\/dead-letters\/.* :id$/,
  alr_: /\/alerts\/.* :id$/,
  sealed: / :?event_id$| replay_id$|\/replays\/.* :id$/,
}

type Answer = { status: number; body: unknown }

async function ask(place: Place, value: string, credential: string): Promise<Answer> {
  const { route, where, name } = place
  // A workspace that is ours, where the thing that is named is another one.
  const path = route.path.replace(/:([A-Za-z_]+)/g, (_, parameter: string) => {
    if (where === 'params' && parameter === name) return encodeURIComponent(value)
    return route.path.startsWith('/v1/workspaces/') ? ours.workspaceId : 'x'
  })
  const query = new URLSearchParams({ ...queries[route.id], ...(where === 'query' && { [name]: value }) })
  const body = {
    ...(bodies[`${route.id} by ${name}`] ?? bodies[route.id]),
    ...(where === 'body' && { [name]: value }),
  }
  const response = await fetch(`${world.product.url}${path}${query.size > 0 ? `?${query}` : ''}`, {
    method: route.method,
    headers: {
      authorization: `Bearer ${credential}`,
      ...(route.method !== 'GET' && { 'content-type': 'application/json' }),
      ...(where === 'header' && { [name]: value }),
    },
    ...(route.method !== 'GET' && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  const answer = text === '' ? null : JSON.parse(text)
  return { status: response.status, body: { ...answer, instance: '', request_id: '' } }
}

/** Ids and times differ between any two answers, and the value itself may be repeated to its sender. */
const blind = (answer: Answer, value: string) =>
  JSON.stringify(answer)
    .replaceAll(value, '')
    .replaceAll(
      /\d{4}-\d\d-\d\dT[\d:.]+Z|\b[a-z]{2,4}_[0-9a-z]{20,}|[0-9A-Za-z_]*…[0-9A-Za-z]{4}|"key":"[^"]*"/g,
      '',
    )

/** Creating with a name that another workspace has simply succeeds. */
const ownNames = new Set(['createContract by body.key'])

describe('a thing of another workspace answers exactly as one that does not exist', () => {
  const titled = places.map((place) => ({
    title: `${place.route.id} by ${place.where}.${place.name}`,
    place,
  }))
  test.each(titled.filter(({ title }) => !ownNames.has(title)))('$title', async ({ place }) => {
    const isForPeople = place.where === 'header' || place.route.access === 'person'
    for (const credential of isForPeople ? [us.accessToken] : [ours.keys.secret, us.accessToken]) {
      const usual = await askForMissing(place, foreign[0] ?? '', credential)
      const statuses: number[] = []
      for (const id of idsFor(place)) {
        const answer = await ask(place, id, credential)
        // What is no id at all to the route may be refused for its form, so then the same form is asked for.
        const isUsual = blind(answer, id) === usual
        expect(blind(answer, id), id).toBe(isUsual ? usual : await askForMissing(place, id, credential))
        statuses.push(answer.status)
      }
      // Else the request was never sound enough to get as far as looking anything up.
      expect(
        statuses.some((status) => status !== 400 && status !== 422),
        usual,
      ).toBe(true)
    }
  })
})

/** A place of a known kind is tried with that kind; all others with everything that the other workspace has. */
function idsFor({ route, where, name }: Place): readonly string[] {
  const place = `${route.path} ${where === 'params' ? ':' : ''}${name}`
  const kind = Object.entries(kinds).find(([, pattern]) => pattern.test(place))?.[0]
  if (kind === undefined) return foreign
  const fitting = foreign.filter((id) => id.startsWith(kind))
  expect(fitting, `a ${kind} of the other workspace`).not.toEqual([])
  return fitting
}

async function askForMissing(place: Place, like: string, credential: string): Promise<string> {
  const id = like.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
  return blind(await ask(place, id, credential), id)
}
