import { clientExamples } from './client-examples.ts'
import { type Example, freshId, type Json } from './example.ts'
import { savedExamples } from './saved-examples.ts'
import type { Things } from './things.ts'
import { signedDeliveries } from './webhook-examples.ts'

const from = '2026-01-01'
const to = '2026-01-31'
const challenge = 'c'.repeat(43)
const period = { from, to, timezone: 'UTC' }
const filters = {
  path: '/',
  country: 'DE',
  device: 'desktop',
  source: 'news',
  event: '$pageview',
  includeBots: 'true',
}
const properties = {
  plan: { type: 'string', required: true, enum: ['free', 'paid'], description: 'Which plan' },
}
const rule = { match: { type: 'TypeError', title: '*', culprit: '*' }, errorGroup: 'Type errors' }
const rules = { all: [{ field: 'events', op: 'gt', value: 0, window: '30d' }] }
const definition = { description: 'x', rules, filters: [['isSet', 'trait:plan']] }

const context = {
  page: {
    url: 'https://shop.example/a?utm_source=news',
    path: '/a',
    title: 'A',
    referrer: 'https://news.example/',
  },
  campaign: { source: 'news', medium: 'email', name: 'spring' },
  locale: 'de-DE',
  timezone: 'Europe/Berlin',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36',
  ip: '203.0.113.9',
  screen: { width: 100, height: 100 },
  library: { name: 'x', version: '1' },
}

/** Every member that an envelope has, so that each is a place. */
const envelope = (id: string) => ({
  event_id: `${id}-${freshId}`,
  user_id: 'u_1',
  anonymous_id: 'a_1',
  session_id: 's_1',
  ts: '2026-07-01T00:00:00Z',
  sent_at: '2026-07-01T00:00:01Z',
  context,
})
const purchase = {
  event: '$purchase',
  ...envelope('purchase'),
  properties: {
    order_id: `o_${freshId}`,
    amount: 10,
    currency: 'EUR',
    coupon: 'spring',
    products: [{ product_id: 'p', name: 'P', price: 5, quantity: 2 }],
  },
}
const custom = {
  event: 'plan_chosen',
  ...envelope('custom'),
  person_id: 'p_1',
  source: 'web',
  consent: { analytics_storage: 'granted' },
  properties: { plan: 'paid', nested: { list: [1, 'a'] } },
}

/** What may come in from a page or a back end. */
const sending = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  track: [{ body: custom }, { body: purchase, as: 'secret' }],
  batch: [
    {
      body: { batch: [custom, { ...custom, type: 'track', event: 'a_b' }], sent_at: '2026-07-01T00:00:01Z' },
    },
  ],
  page: [
    {
      body: {
        name: 'Home',
        category: 'Shop',
        ...envelope('page'),
        properties: { url: 'https://shop.example/' },
      },
    },
  ],
  screen: [{ body: { name: 'Home', ...envelope('screen'), properties: { depth: 1 } } }],
  group: [{ body: { group_id: 'g_1', ...envelope('group'), traits: { name: 'Group', employees: 5 } } }],
  ...clientExamples,
  importEvents: [{ as: 'secret', body: { batch: [custom], sent_at: '2026-07-01T00:00:01Z' } }],
  siteIngest: [
    {
      body: {
        siteId: t.siteId,
        token: t.siteToken,
        events: [
          {
            type: 'pageview',
            id: `i_${freshId}`,
            url: 'https://shop.example/a',
            referrer: '',
            ts: 1_790_000_000_000,
            visitorId: 'v_1',
            sessionId: 's_1',
            userId: 'u_1',
            properties: { a: 1 },
          },
        ],
      },
    },
  ],
  identify: [
    {
      body: {
        ...envelope('identify'),
        traits: { email: 'ada@example.com', name: 'Ada', nickname: 'a', age: 30 },
      },
    },
    { as: 'secret', body: { anonymous_id: 'a_2', user_id: 'u_2', traits: { email: 'b@example.com' } } },
  ],
  alias: [{ as: 'secret', body: { previous_id: 'a_3', user_id: 'u_3', event_id: `alias-${freshId}` } }],
  recordConsent: [
    {
      body: {
        anonymous_id: 'a_4',
        site_id: t.siteId,
        regime: 'gdpr',
        categories: { ad_storage: 'denied', analytics_storage: 'granted' },
        source: 'banner',
        policy_version: '1',
        gpc: false,
        proof: { text: 'I agree' },
        effective_at: '2026-01-01T00:00:00Z',
        expires_at: null,
        sent_at: '2026-01-01T00:00:01Z',
      },
    },
  ],
  recordReplay: [
    {
      body: {
        replay_id: 'replay-1',
        chunk_id: `chunk-of-${freshId}`,
        session_id: 's_1',
        anonymous_id: 'a_1',
        user_id: 'u_1',
        sent_at: 1_790_000_000_000,
        events: [
          {
            type: 4,
            timestamp: 1_790_000_000_000,
            data: { href: 'https://shop.example/', width: 1, height: 1 },
          },
        ],
      },
    },
  ],
  receiveWebhook: signedDeliveries(t),
  sdkConfig: [{ query: { site_id: t.siteId } }],
  segmentSettings: [{ params: { write_key: t.publicKey } }],
})

const accounts = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  listSignInMethods: [{}],
  requestMagicLink: [{ body: { email: 'nobody@example.com', return_to: '/sites' } }],
  verifyMagicLink: [{ body: { token: 'ml_none', delivery: 'body' }, answers: 401 }],
  beginOauth: [{ params: { provider: 'google' }, query: { return_to: '/' }, answers: 404 }],
  finishOauth: [
    {
      params: { provider: 'google' },
      query: { state: 'x', code: 'x', iss: 'x', error: 'x', error_description: 'x' },
      answers: 404,
    },
  ],
  exchangeOauthCode: [
    { body: { code: 'x', code_verifier: challenge, redirect_uri: 'https://a.example/' }, answers: 401 },
  ],
  refreshSession: [{ body: { refresh_token: 'none' }, answers: 401 }],
  revokeSession: [{ as: 'sparePerson', body: { session_id: 'ses_none' }, answers: 404 }],
  getSession: [{}],
  listSessions: [{ query: { limit: '10', cursor: '' } }],
  getSigningKeys: [{}],
  grantCommand: [{ as: 'owner', body: { code_challenge: challenge, name: 'laptop' } }],
  redeemCommand: [{ body: { code: 'none', code_verifier: challenge }, answers: 401 }],
  listWorkspaces: [{}],
  createWorkspace: [{ body: { name: 'Another' } }],
  getWorkspace: [{ params: { id: t.workspaceId } }],
  renameWorkspace: [{ params: { id: t.spareWorkspaceId }, body: { name: 'Spare' } }],
  deleteWorkspace: [{ params: { id: t.lostWorkspaceId } }],
  restoreWorkspace: [{ params: { id: t.lostWorkspaceId } }],
  transferWorkspace: [{ params: { id: t.spareWorkspaceId }, body: { user_id: 'usr_none' }, answers: 404 }],
  leaveWorkspace: [{ params: { id: t.workspaceId }, as: 'sparePerson', answers: 404 }],
  startWorkspaceExport: [{ as: 'spareLive', body: { format: 1 }, answers: [202, 409] }],
  // Another export may have taken its place.
  getWorkspaceExport: [{ as: 'spareLive', params: { id: t.exportId }, answers: [200, 404] }],
  readWorkspaceExport: [
    {
      as: 'spareLive',
      params: { id: t.exportId, part: 'sites' },
      query: { offset: '0' },
      answers: [200, 404, 409],
    },
  ],
  startWorkspaceImport: [{ as: 'spareLive', body: { manifest: manifest(t) }, answers: 409 }],
  getWorkspaceImport: [{ as: 'spareLive', params: { id: 'imp_none' }, answers: 404 }],
  sendWorkspaceImport: [
    {
      as: 'spareLive',
      params: { id: 'imp_none', part: 'sites' },
      body: { offset: 0, text: '{}\n' },
      answers: 404,
    },
  ],
  applyWorkspaceImport: [{ as: 'spareLive', params: { id: 'imp_none' }, body: {}, answers: 404 }],
  getDemo: [{}],
  startDemo: [{ as: 'none', answers: 401 }],
  removeDemo: [{ answers: 404 }],
  listMembers: [{ query: { limit: '10', cursor: '' } }],
  changeMember: [{ params: { id: 'usr_none' }, body: { role: 'viewer' }, answers: 404 }],
  removeMember: [{ params: { id: 'usr_none' }, answers: 404 }],
  inviteMember: [{ body: { email: `guest${freshId}@example.com`, role: 'viewer' } }],
  listInvitations: [{ query: { limit: '10', cursor: '' } }],
  revokeInvitation: [{ params: { id: t.invitationId } }],
  acceptInvitation: [{ body: { token: 'none' }, answers: 404 }],
  mintApiKey: [
    {
      body: {
        kind: 'secret',
        name: 'Another',
        site_id: t.siteId,
        environment: 'staging',
        scopes: ['sites:read'],
        expires_at: '2099-01-01T00:00:00Z',
      },
    },
  ],
  listApiKeys: [{ query: { limit: '10', cursor: '' } }],
  updateApiKey: [
    {
      params: { id: t.keyId },
      body: { name: 'Other', environment: 'staging', scopes: ['sites:read'], expires_at: null },
    },
  ],
  revokeApiKey: [{ params: { id: t.keyId } }],
  listAuditLog: [
    {
      query: {
        limit: '10',
        cursor: '',
        actor: 'x',
        action: 'site.created',
        object_type: 'site',
        object_id: 'x',
        from,
        to,
      },
    },
  ],
})

function manifest(t: Things): Json {
  const part = { name: 'sites', rows: 1, bytes: 3, sha256: '0'.repeat(64) }
  return {
    format: 1,
    workspace_id: t.workspaceId,
    workspace_name: 'Other',
    exported_at: '2026-01-01T00:00:00Z',
    person_key: '0'.repeat(64),
    schema: 'none',
    parts: [part],
  }
}

const definitions = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  listSites: [{ query: { limit: '10', cursor: '' } }],
  getSite: [{ params: { id: t.siteId } }],
  createSite: [
    {
      body: {
        name: 'Shop',
        domain: `other${freshId}.example`,
        timezone: 'UTC',
        currency: 'EUR',
        consentRegime: null,
        onDenied: 'reject',
        eventRetentionDays: 400,
      },
    },
  ],
  updateSite: [
    {
      params: { id: t.spareSiteId },
      body: {
        name: 'Shop',
        domain: `spare${freshId}.example`,
        timezone: 'UTC',
        currency: 'EUR',
        consentRegime: 'gdpr',
        onDenied: 'anonymous',
        eventRetentionDays: null,
      },
    },
  ],
  rotateSiteToken: [{ params: { id: t.spareSiteId } }],
  getEventRetention: [{ params: { id: t.siteId }, query: { days: '30' } }],
  getExchangeRates: [{}],
  setExchangeRates: [{ body: { base: 'EUR', rates: [{ currency: 'USD', rate: 1.1 }] } }],
  listContracts: [{ query: { limit: '10', cursor: '', status: 'published', source: 'custom', q: 'a' } }],
  createContract: [
    {
      body: {
        key: `plan_chosen_${freshId}`,
        description: 'A plan was chosen',
        owner: 'team',
        category: 'billing',
        properties,
        additional: 'accept',
        surfaces: ['web'],
        purpose: 'analytics_storage',
        severities: { type_coerced: 'warn' },
        status: 'published',
        release: false,
        dry_run: false,
        replay_days: 1,
      },
    },
  ],
  getContract: [{ params: { key: t.contractKey }, query: { version: '1-0-0' } }],
  publishContract: [
    {
      params: { key: t.contractKey },
      body: { version: '1-0-0', release: false, dry_run: true },
      answers: [200, 404, 409],
    },
  ],
  deprecateContract: [{ params: { key: t.contractKey }, body: {} }],
  archiveContract: [{ params: { key: t.contractKey } }],
  changeContracts: [
    {
      body: {
        contracts: [{ key: 'other_event', expected_version: null, properties, status: 'published' }],
        end: [],
        dry_run: true,
      },
    },
  ],
  validateEvents: [
    { body: { ...custom, site_id: t.siteId } },
    { body: { batch: [custom], site_id: t.siteId } },
  ],
  generateCode: [{ query: { language: 'typescript', environment: 'production' } }],
  listPacks: [{}],
  installPack: [{ params: { key: t.packKey }, body: { dry_run: true, status: 'draft' } }],
  getSeverities: [{ query: { site_id: t.siteId, days: '7' } }],
  setSeverities: [{ body: { preset: 'learning', type_coerced: 'warn', unknown_event: null } }],
  listProposals: [{ query: { site_id: t.siteId, days: '7', limit: '5' } }],
  createMapping: [
    {
      body: {
        siteId: t.siteId,
        source: `bought_${freshId}`,
        target: '$purchase',
        propertyMap: { price: 'value' },
      },
    },
  ],
  listMappings: [{ query: { siteId: t.siteId, limit: '10', cursor: '', origin: 'custom' } }],
  getMapping: [{ params: { id: t.mappingId }, query: { siteId: t.siteId } }],
  updateMapping: [
    {
      params: { id: t.mappingId },
      body: { siteId: t.siteId, target: '$purchase', propertyMap: { price: 'value' }, enabled: true },
    },
  ],
  deleteMapping: [{ params: { id: 'map_none' }, query: { siteId: t.siteId }, answers: 404 }],
  startBackfill: [{ params: { id: t.mappingId }, body: { siteId: t.siteId, from, to, dryRun: true } }],
  listBackfills: [{ query: { siteId: t.siteId, limit: '10', cursor: '' } }],
  getBackfill: [{ params: { id: 'bf_none' }, answers: 404 }],
  withdrawBackfill: [{ params: { id: 'bf_none' }, answers: 404 }],
  getCatalog: [
    { query: { limit: '10', cursor: '', siteId: t.siteId, source: 'custom', needsReview: 'false' } },
  ],
  createDefinition: [
    {
      body: {
        name: `cart_opened_${freshId}`,
        description: 'x',
        category: 'x',
        properties: { plan: { type: 'string' } },
        match: { page: '/cart', selector: '#open', text: 'Open', on: 'click' },
        siteId: t.siteId,
      },
    },
  ],
  listDefinitions: [{ query: { limit: '10', cursor: '' } }],
  updateDefinition: [
    {
      params: { id: t.definitionId },
      body: { match: { page: '/cart', selector: '#open', text: 'Open', on: 'click' }, siteId: t.siteId },
    },
  ],
})

const people = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  getReceipt: [{ params: { event_id: t.eventId } }],
  listRecentEvents: [{ query: { site_id: t.siteId, after: '', outcome: 'accept' } }],
  listQuarantined: [
    { query: { limit: '10', cursor: '', event: 'x', code: 'x', site_id: t.siteId, from, to, state: 'held' } },
  ],
  countQuarantined: [{ query: { event: 'x', code: 'x', site_id: t.siteId, from, to } }],
  getQuarantined: [{ params: { id: 'none' }, answers: 404 }],
  releaseQuarantined: [
    { body: { ids: ['q_none'], patch: { plan: 'paid' }, dry_run: true } },
    { body: { filter: { event: 'x', code: 'x', site_id: t.siteId, from, to }, dry_run: true } },
  ],
  discardQuarantined: [{ body: { ids: ['q_none'], dry_run: true } }],
  resolveIdentity: [
    { body: { identifiers: [{ type: 'user_id', value: 'u_1', verified: true }], read_only: true } },
  ],
  listDeadLetters: [
    { query: { limit: '10', cursor: '', state: 'waiting', site_id: t.siteId, step: 'identity' } },
  ],
  getDeadLetter: [{ params: { id: 'dl_none' }, answers: 404 }],
  loadDeadLetter: [{ params: { id: 'dl_none' }, body: { event: custom }, answers: 404 }],
  loadDeadLetters: [{ body: { filter: { site_id: t.siteId, step: 'identity' } } }],
  discardDeadLetter: [{ params: { id: 'dl_none' }, answers: 404 }],
  getPerson: [{ params: { id: t.personId } }],
  listPeople: [
    {
      query: {
        site_id: t.siteId,
        search: 'u_',
        filters: '[["is","trait:plan",["pro"]],["not",["gt","trait:seats",5]]]',
        columns: 'plan,email',
        limit: '10',
      },
    },
  ],
  getTimeline: [{ params: { id: t.personId }, query: { limit: '10', cursor: '', from, to, event: 'x' } }],
  addPersonNote: [{ params: { id: t.personId }, body: { text: `Called, wants an invoice ${freshId}` } }],
  listPersonNotes: [{ params: { id: t.personId }, query: { limit: '10', cursor: '' } }],
  deletePersonNote: [{ params: { id: t.personId, note_id: 'note_none' }, answers: 404 }],
  mergePeople: [
    { body: { survivor_id: t.personId, absorbed_id: t.otherPersonId, reason: 'same', dry_run: true } },
  ],
  listLedger: [{ query: { limit: '10', cursor: '', type: 'link', person_id: t.personId } }],
  verifyLedger: [{}],
  reverseMerge: [
    {
      params: { id: 'led_none' },
      body: { reason: 'x', keep_apart: true, cascade: false, dry_run: true },
      answers: 404,
    },
  ],
  getConsent: [
    { params: { personId: t.personId }, query: { at: '2026-01-02T00:00:00Z', site_id: t.siteId } },
  ],
  listConsents: [{ params: { personId: t.personId }, query: { limit: '10', cursor: '' } }],
  requestExport: [
    {
      body: {
        identifiers: [{ type: 'user_id', value: 'u_1' }],
        regime: 'gdpr',
        subject_request_id: `e_${freshId}`,
        status_callback_urls: ['https://callback.example/'],
      },
    },
  ],
  requestForget: [
    {
      body: {
        identifiers: [{ type: 'user_id', value: `u_${freshId}` }],
        regime: 'gdpr',
        subject_request_id: `f_${freshId}`,
        status_callback_urls: [],
        mode: 'erase',
      },
    },
  ],
  listSubjectRequests: [{ query: { limit: '10', cursor: '', status: 'pending' } }],
  getSubjectRequest: [{ params: { id: t.requestId } }],
  cancelSubjectRequest: [{ params: { id: 'dsr_none' }, answers: 404 }],
  downloadExport: [{ params: { id: t.requestId }, query: { expires: '1', signature: 'x' }, answers: 404 }],
  listPrivacyKeys: [{}],
  listReplays: [
    { query: { limit: '10', cursor: '', site_id: t.siteId, session_id: 's_1', person_id: t.personId } },
  ],
  getReplay: [{ params: { id: 'replay-1' } }],
  listReplayEvents: [{ params: { id: 'replay-1' }, query: { limit: '10', cursor: '' } }],
  deleteReplay: [{ params: { id: 'replay-none' }, answers: 404 }],
})

/** Every part of a question, in two of them: the portable engine plans all at once for seconds. */
const figureQuestion = (siteId: string) => ({
  siteId,
  ...period,
  metrics: [
    'visitors',
    {
      as: 'A',
      event: '$purchase',
      math: 'p90',
      property: 'amount',
      where: [['is', 'property:plan', ['pro']]],
    },
    { as: 'B', formula: 'A / visitors' },
  ],
  dimensions: ['time:day', 'utm.campaign'],
  filters: [
    [
      'or',
      [
        ['is', 'device', ['mobile']],
        ['did', { event: '$signup', within: '7d' }],
      ],
    ],
  ],
  orderBy: [['visitors', 'desc']],
  limit: 3,
  other: true,
  includeBots: false,
})
const comparedQuestion = (siteId: string) => ({
  siteId,
  ...period,
  compare: 'previous',
  metrics: ['visitors'],
  dimensions: ['time:day', 'property:cart.items'],
  filters: [['not', ['matches', 'page', ['^/admin']]]],
  limit: 3,
  rolling: 2,
})

const questions = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  runSql: [{ body: { siteId: t.siteId, query: 'SELECT page, count() AS n FROM events GROUP BY 1' } }],
  runQuery: [{ body: { ...figureQuestion(t.siteId), format: 'json' } }, { body: comparedQuestion(t.siteId) }],
  getQuery: [{ query: { q: JSON.stringify(comparedQuestion(t.siteId)), format: 'json' } }],
  listDimensions: [{ query: { siteId: t.siteId } }],
  listValues: [
    {
      query: {
        siteId: t.siteId,
        ...period,
        dimension: 'property:plan',
        search: 'p',
        limit: '5',
        includeBots: 'false',
      },
    },
  ],
})

const reads = (t: Things): Readonly<Record<string, readonly Example[]>> => {
  const siteId = { siteId: t.siteId }
  const asked = { ...siteId, ...period, ...filters }
  return {
    getOverview: [
      { query: { ...asked, format: 'json', interval: 'day', table: 'series' } },
      { query: { ...siteId, window: '7d' } },
    ],
    getLive: [{ query: { ...siteId, ...filters, filters: '[["is","country",["DE"]]]' } }],
    getFlowGraph: [{ query: { ...asked, format: 'json', nodes: '10' } }],
    listJourneys: [{ query: { ...asked, format: 'json', steps: '3', limit: '5' } }],
    getRetention: [
      {
        query: {
          ...asked,
          format: 'json',
          firstEvent: '$pageview',
          returnEvent: '$pageview',
          interval: 'week',
        },
      },
    ],
    checkInstallation: [{ body: { ...siteId, url: 'http://127.0.0.1:1/' } }],
    listSiteFigures: [{ query: { ...period, timezone: 'UTC' } }],
    queryDropOff: [
      {
        body: {
          ...siteId,
          ...period,
          steps: [{ event: '$pageview', path: '/' }, { event: '$purchase' }],
          step: 1,
          by: 'person',
          within: '7d',
        },
      },
    ],
    queryFunnel: [
      {
        body: {
          ...siteId,
          ...period,
          path: '/',
          country: 'DE',
          device: 'desktop',
          source: 'news',
          includeBots: false,
          format: 'json',
          steps: [
            { event: '$pageview', path: '/', where: [{ property: 'a', op: 'is', value: 1 }], label: 'First' },
            { event: '$purchase' },
          ],
          within: '7d',
        },
      },
    ],
    listFunnels: [{ query: { ...asked, format: 'json', includeMuted: 'true' } }],
    updateFunnel: [{ params: { id: 'fun_none' }, body: { status: 'muted', name: 'x' }, answers: 404 }],
    listAudiences: [{ query: { ...siteId, limit: '10', cursor: '' } }],
    createAudience: [{ body: { ...siteId, name: `All ${freshId}`, ...definition, dryRun: false } }],
    getAudience: [{ params: { id: t.audienceId } }],
    updateAudience: [
      { params: { id: t.audienceId }, body: { name: `All of ${freshId}`, status: 'active', ...definition } },
    ],
    deleteAudience: [{ params: { id: 'aud_none' }, answers: 404 }],
    listAudienceMembers: [
      { params: { id: t.audienceId }, query: { limit: '10', cursor: '', format: 'json', state: 'all' } },
    ],
  }
}

const watching = (t: Things): Readonly<Record<string, readonly Example[]>> => {
  const siteId = { siteId: t.siteId }
  return {
    listErrors: [{ query: { ...siteId, window: '7d', state: 'open', limit: '10', cursor: '' } }],
    getRevenueImpact: [{ query: { ...siteId, window: '7d', minImpact: '1' } }],
    postRevenueImpact: [{ body: { ...siteId, window: '7d', minImpact: 1 } }],
    getOrderValueCorrelation: [{ query: { ...siteId, errorGroup: 'x', window: '7d' }, answers: 404 }],
    getError: [{ params: { id: 'none' }, query: { ...siteId, window: '7d' }, answers: 404 }],
    updateError: [{ params: { id: 'none' }, body: { ...siteId, state: 'muted' }, answers: 404 }],
    listErrorRules: [{ query: siteId }],
    createErrorRule: [{ body: { ...siteId, ...rule, position: 0 } }],
    previewErrorRule: [{ body: { ...siteId, ruleId: t.errorRuleId, rule: { ...rule, position: 0 } } }],
    updateErrorRule: [{ params: { id: t.errorRuleId }, body: { ...rule, position: 0 } }],
    deleteErrorRule: [{ params: { id: 'none' }, answers: 404 }],
    getSiteHealth: [{ query: siteId }],
    getMilestones: [{ query: siteId }],
    listDrift: [{ query: { ...siteId, status: 'open' } }],
    updateDrift: [{ params: { id: 'none' }, body: { status: 'muted' }, answers: 404 }],
  }
}

const measuring = (t: Things): Readonly<Record<string, readonly Example[]>> => {
  const site_id = { site_id: t.siteId }
  return {
    getAttributionPolicy: [{}],
    setAttributionPolicy: [
      {
        body: {
          model: 'position',
          data_driven: 'markov',
          lookback_days: 30,
          half_life_days: 7,
          position: { first: 0.4, last: 0.4 },
          touchpoint_rules: [
            { channel: 'News', anyOf: [{ source: ['news'], medium: ['email'], campaign: ['x'] }] },
          ],
          ignore_direct: true,
          outcome_events: ['$purchase'],
          outcome_source: 'any',
          exclude_channels: ['Direct'],
          dedupe_window_min: 30,
          consent_required: null,
          dry_run: false,
        },
      },
    ],
    computeAttribution: [{ body: { from, to } }],
    getAttributionJob: [{ params: { id: 'job_none' }, answers: 404 }],
    getTouchpoints: [{ params: { personId: t.personId } }],
    listOutcomes: [{ query: { ...site_id, from, to, limit: '10', cursor: '' } }],
    explainOutcome: [{ params: { outcomeId: 'none' }, answers: 404 }],
    getAttributionReport: [{ query: { ...site_id, from, to, group_by: 'channel', event: '$purchase' } }],
    listEventHealth: [{ query: { ...site_id, window: '7d' } }],
    getEventHealth: [{ params: { key: 'plan_chosen' }, query: { ...site_id, window: '7d' } }],
    listAnomalies: [
      { query: { ...site_id, limit: '10', cursor: '', status: 'open', type: 'volume', event: 'x' } },
    ],
    acknowledgeAnomaly: [{ params: { id: 'ano_none' }, body: { note: 'x' }, answers: 404 }],
    muteAnomaly: [{ params: { id: 'ano_none' }, body: { days: 1, note: 'x' }, answers: 404 }],
    getHealthSettings: [{}],
    setHealthSettings: [
      {
        body: {
          score_alone: 5,
          score_twice: 3,
          change_least: 0.3,
          alerts_per_week: 10,
          quarantine_share: 0.1,
          quarantine_least: 10,
          dry_run: true,
        },
      },
    ],
    getCoverage: [{ query: site_id }],
    getConversionMismatch: [{ query: { ...site_id, window: '7d', limit: '10', finding: 'late' } }],
    checkDuplicate: [
      {
        body: {
          a: { ...envelope('a'), event: '$purchase', source: 'web', properties: { order_id: 'o' } },
          b: t.eventId,
        },
      },
    ],
    getUsage: [{ query: { month: '2026-07' } }],
  }
}

const outgoing = (t: Things): Readonly<Record<string, readonly Example[]>> => ({
  createWebhookConnection: [
    {
      body: {
        provider: 'stripe',
        site_id: t.siteId,
        secrets: ['whsec_x'],
        registered_url: 'https://shop.example/hook',
        include_test: true,
      },
    },
  ],
  listWebhookConnections: [{ query: { limit: '10', cursor: '' } }],
  rotateWebhookSecrets: [
    { params: { id: t.spareConnectionId }, body: { secrets: ['whsec_y'], keep_previous_hours: 1 } },
  ],
  deleteWebhookConnection: [{ params: { id: 'con_none' }, answers: 404 }],
  listWebhookDeliveries: [
    {
      query: {
        limit: '10',
        cursor: '',
        connection_id: t.spareConnectionId,
        provider: 'stripe',
        status: 'accepted',
        type: 'x',
        from,
        to,
      },
    },
  ],
  getWebhookDelivery: [{ params: { id: 'del_none' }, answers: 404 }],
  replayWebhookDelivery: [{ params: { id: 'del_none' }, answers: 404 }],
  createDestination: [
    {
      body: {
        name: `There ${freshId}`,
        url: 'https://there.invalid/',
        site_id: t.siteId,
        events: ['never_sent'],
        purposes: ['ad_storage'],
        notices: ['anomaly.opened'],
      },
    },
  ],
  listDestinations: [{}],
  getDestination: [{ params: { id: t.destinationId } }],
  updateDestination: [
    {
      params: { id: t.destinationId },
      body: {
        name: `There ${freshId}`,
        url: 'https://there.invalid/',
        site_id: null,
        events: ['never_sent'],
        purposes: [],
        notices: [],
        status: 'paused',
      },
    },
  ],
  rotateDestinationSecret: [{ params: { id: t.destinationId }, body: { keep_previous_hours: 1 } }],
  deleteDestination: [{ params: { id: 'dst_none' }, answers: 404 }],
  testDestination: [{ params: { id: 'dst_none' }, answers: 404 }],
  listDispatches: [{ params: { id: t.destinationId }, query: { limit: '10', cursor: '', status: 'dead' } }],
  replayDispatches: [{ params: { id: t.destinationId }, body: {} }],
})

/** Valid requests of every route. A route that is missing here fails a test. */
export function examplesOf(things: Things): Readonly<Record<string, readonly Example[]>> {
  return {
    ...sending(things),
    ...accounts(things),
    ...definitions(things),
    ...people(things),
    ...reads(things),
    ...questions(things),
    ...watching(things),
    ...measuring(things),
    ...outgoing(things),
    ...savedExamples(things),
  }
}
