import type { createWebhookConnection } from '@assay/contract'
import { type Input, Problem, type WebhookConnection, webhookLimits } from '@assay/contract'
import { secretRefusal } from '@assay/server/webhooks'
import type { Clock, NewId } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import type { Vault } from '../platform/secrets/vault.ts'
import { hourMs } from '../platform/units.ts'
import type { Control } from '../store/control.ts'
import {
  type ConnectionRow,
  countConnections,
  deleteConnection,
  insertConnection,
  selectConnection,
  selectConnections,
  updateSecrets,
} from './connection-store.ts'

/** A secret and, once it was replaced, until when it still counts. */
type SigningSecret = { secret: string; untilMs: number | null }

export type Connection = Omit<ConnectionRow, 'secrets'> & {
  /** Null when they were sealed with a key that this installation has not got. */
  secrets: readonly SigningSecret[] | null
}

export type Connections = {
  find: (id: string) => Promise<Connection | null>
  own: (workspaceId: string, id: string) => Promise<Connection>
  list: (workspaceId: string, before: string | null, limit: number) => Promise<Connection[]>
  create: (workspaceId: string, wanted: Input<typeof createWebhookConnection>['body']) => Promise<Connection>
  rotate: (
    connection: Connection,
    secrets: readonly string[],
    keepPreviousHours: number,
  ) => Promise<Connection>
  remove: (connection: Connection) => Promise<void>
}

type ConnectionOptions = { control: Control; vault: Vault; now: Clock; newId: NewId }

const channel = 'assay_webhooks'
/** Connections that receive, and the characters of their secrets and addresses together. */
const knownMax = 10_000
const charactersMax = 16_000_000

/** Connections are looked up once and then answered from memory; only ids that exist are remembered. */
export async function createConnections(options: ConnectionOptions): Promise<Connections> {
  const { control, vault, now, newId } = options
  const known = new RecentMap<Connection>(knownMax, charactersMax, charactersOf)
  await control.listen(
    channel,
    (id) => void known.delete(id),
    () => known.clear(),
  )
  const open = (row: ConnectionRow): Connection => ({ ...row, secrets: unsealSecrets(vault, row) })
  const changed = async (id: string) => {
    known.delete(id)
    await control.notify(channel, id)
  }

  async function find(id: string): Promise<Connection | null> {
    // Postgres refuses a text with this character rather than not finding it.
    if (id.includes('\0')) return null
    const remembered = known.get(id)
    if (remembered !== undefined) return remembered
    const row = await selectConnection(control, id)
    if (row === null) return null
    const connection = open(row)
    known.set(id, connection)
    return connection
  }

  return {
    find,
    async own(workspaceId, id) {
      const connection = await find(id)
      if (connection?.workspace_id === workspaceId) return connection
      throw new Problem('not-found', { detail: 'There is no such webhook connection.' })
    },
    list: async (workspaceId, before, limit) =>
      (await selectConnections(control, workspaceId, before, limit)).map(open),
    async create(workspaceId, wanted) {
      await requireReadable(wanted.provider, wanted.secrets)
      if ((await countConnections(control, workspaceId)) >= webhookLimits.connectionsMax) {
        const detail = `There are ${webhookLimits.connectionsMax} connections already. Delete one that is not used.`
        throw new Problem('conflict', { detail })
      }
      const id = newId('con')
      const row = {
        id,
        workspace_id: workspaceId,
        site_id: wanted.site_id,
        provider: wanted.provider,
        registered_url: wanted.registered_url ?? null,
        include_test: wanted.include_test ?? false,
        secrets: sealSecrets(vault, id, wanted.secrets.map(inForce)),
        created_at: new Date(now()),
      }
      await insertConnection(control, row)
      return open({ ...row, rotated_at: null })
    },
    async rotate(connection, secrets, keepPreviousHours) {
      await requireReadable(connection.provider, secrets)
      const all = rotated(connection, secrets, now(), keepPreviousHours)
      await updateSecrets(control, connection.id, sealSecrets(vault, connection.id, all), new Date(now()))
      await changed(connection.id)
      return { ...connection, secrets: all, rotated_at: new Date(now()) }
    },
    async remove(connection) {
      await deleteConnection(control, connection.id)
      await changed(connection.id)
    },
  }
}

function charactersOf({ secrets, registered_url }: Connection): number {
  return (secrets ?? []).reduce((sum, { secret }) => sum + secret.length, registered_url?.length ?? 0)
}

const inForce = (secret: string): SigningSecret => ({ secret, untilMs: null })

export function validAt({ secrets }: Connection, atMs: number): readonly SigningSecret[] {
  return (secrets ?? []).filter(({ untilMs }) => untilMs === null || untilMs > atMs)
}

/** The new ones first; those before as long as they are kept, and never longer than they were to be kept already. */
function rotated(
  connection: Connection,
  secrets: readonly string[],
  nowMs: number,
  keepPreviousHours: number,
): readonly SigningSecret[] {
  const untilMs = nowMs + keepPreviousHours * hourMs
  const previous = validAt(connection, nowMs)
    .filter(({ secret }) => !secrets.includes(secret))
    .map((one) => ({ ...one, untilMs: Math.min(one.untilMs ?? untilMs, untilMs) }))
    .filter((one) => one.untilMs > nowMs)
  return [...secrets.map(inForce), ...previous].slice(0, 2 * webhookLimits.secretsMax)
}

async function requireReadable(provider: Connection['provider'], secrets: readonly string[]): Promise<void> {
  for (const [index, secret] of secrets.entries()) {
    const message = await secretRefusal(provider, secret)
    if (message === null) continue
    throw new Problem('invalid-parameter', {
      detail: `This is not a secret as ${provider} gives them. ${message}`,
      errors: [{ field: `secrets[${index}]`, message }],
    })
  }
}

function sealSecrets(vault: Vault, id: string, secrets: readonly SigningSecret[]): string {
  return vault.seal(JSON.stringify(secrets), `webhook_connections ${id}`)
}

function unsealSecrets(vault: Vault, { id, secrets }: ConnectionRow): readonly SigningSecret[] | null {
  const text = vault.unseal(secrets, `webhook_connections ${id}`)
  // What was sealed by this very file and not changed since is what it wrote.
  return text === null ? null : JSON.parse(text)
}

export function connectionUrl(
  dataUrl: string,
  { id, provider }: Pick<Connection, 'id' | 'provider'>,
): string {
  return `${dataUrl}/v1/webhook/${provider}?connection=${id}`
}

export function toConnection(connection: Connection, dataUrl: string, nowMs: number): WebhookConnection {
  return {
    id: connection.id,
    provider: connection.provider,
    site_id: connection.site_id,
    url: connectionUrl(dataUrl, connection),
    registered_url: connection.registered_url,
    include_test: connection.include_test,
    secrets_in_force: validAt(connection, nowMs).length,
    created_at: connection.created_at.toISOString(),
    rotated_at: connection.rotated_at?.toISOString() ?? null,
  }
}
