import { isRecord, type RouteShape, routes } from '@assay/contract'
import { type Connection, connect, type Reply } from './connection.ts'
import type { CredentialName, Example } from './example.ts'
import { examplesOf } from './example-table.ts'
import { plainRequest } from './request.ts'
import { type Making, namelessThings, type Things } from './things.ts'
import { registeredUrl, secretOf, webhookProviders } from './webhook-examples.ts'

/** A product to be attacked, with everything that a request can name. */
export type Target = {
  things: Things
  examples: Readonly<Record<string, readonly Example[]>>
  credentials: Readonly<Record<CredentialName, string>>
  connection: Connection
}

type TargetProduct = {
  url: string
  keys: {
    workspaceId: string
    siteId: string
    siteToken: string
    publicKey: string
    secretKey: string
    liveKey: string
    testKey: string
    ownerEmail: string
  }
  /** What it said so far: without a mail server links to sign in are among it. */
  said: () => string
}

const wrongKey = 'ak_live_0000000000000000000000000000000000000000'

export async function prepareTarget(product: TargetProduct, connections: number): Promise<Target> {
  const { keys } = product
  const connection = connect(product.url, connections)
  const made: Making = {
    ...namelessThings(),
    workspaceId: keys.workspaceId,
    siteId: keys.siteId,
    siteToken: keys.siteToken,
    publicKey: keys.publicKey,
    connections: {},
  }
  const credentials: Record<CredentialName, string> = {
    none: '',
    wrong: wrongKey,
    public: keys.publicKey,
    secret: keys.secretKey,
    live: keys.liveKey,
    test: keys.testKey,
    owner: await signInByMail(connection, product, keys.ownerEmail),
    foreign: '',
    spareLive: '',
    sparePerson: await signInByMail(connection, product, 'spare@example.com'),
  }
  await makeWorkspaces(connection, credentials, made)
  await makeConnections(connection, credentials, made)
  await makeThings(connection, credentials, made)
  return { things: made, examples: examplesOf(made), credentials, connection }
}

async function makeWorkspaces(
  connection: Connection,
  credentials: Record<CredentialName, string>,
  made: Making,
): Promise<void> {
  const create = async (name: string) =>
    textOf(await call(connection, credentials.owner, 'createWorkspace', { body: { name } }), 'id')
  made.spareWorkspaceId = await create('Spare')
  made.lostWorkspaceId = await create('Lost')
  const foreignId = await create('Foreign')
  const keyOf = async (workspaceId: string) => {
    const reply = await post(
      connection,
      credentials.owner,
      '/v1/auth/api-keys',
      { kind: 'live', name: 'x' },
      workspaceId,
    )
    return textOf(reply, 'key')
  }
  credentials.spareLive = await keyOf(made.spareWorkspaceId)
  credentials.foreign = await keyOf(foreignId)
}

async function makeConnections(
  connection: Connection,
  { live }: Record<CredentialName, string>,
  made: Making,
): Promise<void> {
  for (const provider of webhookProviders) {
    const url = registeredUrl(provider)
    const body = {
      provider,
      site_id: made.siteId,
      secrets: [secretOf(provider)],
      ...(url && { registered_url: url }),
    }
    made.connections[provider] = textOf(
      await call(connection, live, 'createWebhookConnection', { body }),
      'id',
    )
  }
}

/** Sends the examples that make something, each after what it names is there. */
async function makeThings(
  connection: Connection,
  credentials: Record<CredentialName, string>,
  made: Making,
): Promise<void> {
  const send = async (routeId: string, index = 0) => {
    const example = examplesOf(made)[routeId]?.[index]
    if (example === undefined) throw new Error(`no example of ${routeId}`)
    const request = plainRequest(routeNamed(routeId), example)
    return connection.send(request, credentials[request.as])
  }
  const take = async (routeId: string, member: string, index = 0) =>
    textOf(await send(routeId, index), member)
  made.spareSiteId = await take('createSite', 'id')
  made.keyId = await take('mintApiKey', 'id')
  made.invitationId = await take('inviteMember', 'id')
  made.contractKey = await take('createContract', 'key')
  made.mappingId = await take('createMapping', 'id')
  made.definitionId = await take('createDefinition', 'id')
  made.annotationId = await take('createAnnotation', 'id')
  made.audienceId = await take('createAudience', 'id')
  made.goalId = await take('createGoal', 'id')
  made.reportId = await take('createReport', 'id')
  made.boardId = await take('createBoard', 'id')
  const shared = await send('createShare')
  made.shareId = textOf(shared, 'id')
  made.shareToken = textOf(shared, 'token')
  made.digestId = await take('createDigest', 'id')
  made.alertId = await take('createAlert', 'id')
  made.errorRuleId = await take('createErrorRule', 'id')
  made.personId = await take('identify', 'person_id', 0)
  made.otherPersonId = await take('identify', 'person_id', 1)
  made.requestId = await take('requestExport', 'id')
  made.destinationId = await take('createDestination', 'id')
  made.spareConnectionId = await take('createWebhookConnection', 'id')
  made.exportId = await take('startWorkspaceExport', 'id')
  // One that is stored at once: the other may be quarantined.
  made.eventId = await take('track', 'event_id', 1)
  await send('recordReplay')
  const packs = await call(connection, credentials.live, 'listPacks', {})
  made.packKey = /"key":"([a-z0-9_-]+)"/.exec(packs.text)?.[1] ?? 'none_such'
}

async function signIn(connection: Connection, link: string): Promise<string> {
  const token = /token=([^&\s]+)/.exec(link)?.[1]
  if (token === undefined) throw new Error(`no link to sign in: ${link}`)
  const reply = await call(connection, '', 'verifyMagicLink', { body: { token, delivery: 'body' } })
  return textOf(reply, 'access_token')
}

async function signInByMail(connection: Connection, product: TargetProduct, email: string): Promise<string> {
  const before = product.said().length
  await call(connection, '', 'requestMagicLink', { body: { email } })
  const link = new RegExp(`${email}.*#token=[^\\s"]+`)
  for (let attempt = 0; attempt < 500; attempt++) {
    const found = link.exec(product.said().slice(before))?.[0]
    if (found !== undefined) return signIn(connection, found)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('the product printed no link to sign in')
}

export function routeNamed(id: string): RouteShape {
  const found = routes.find((route) => route.id === id)
  if (found === undefined) throw new Error(`no route ${id}`)
  return found
}

function call(connection: Connection, credential: string, routeId: string, example: Example): Promise<Reply> {
  return connection.send(plainRequest(routeNamed(routeId), example), credential)
}

function post(
  connection: Connection,
  credential: string,
  path: string,
  body: object,
  workspaceId: string,
): Promise<Reply> {
  const headers = { 'content-type': 'application/json', 'x-assay-workspace': workspaceId }
  return connection.raw({ method: 'POST', path, headers, body: JSON.stringify(body), credential })
}

function textOf({ status, text }: Reply, member: string): string {
  const body: unknown = status < 300 ? JSON.parse(text) : null
  const value = isRecord(body) ? body[member] : undefined
  if (typeof value !== 'string') throw new Error(`no ${member} in ${status} ${text.slice(0, 500)}`)
  return value
}
