import { openVault, type VaultOptions } from '../platform/secrets/vault.ts'
import { type Connections, createConnections } from './connections.ts'
import { Receiving, type ReceivingOptions } from './receiver.ts'

/** Vendors as senders of events. */
export type Webhooks = { connections: Connections; receiving: Receiving }

type WebhooksOptions = ReceivingOptions & { config: VaultOptions }

export async function createWebhooks(options: WebhooksOptions): Promise<Webhooks> {
  const { config, control, now, newId } = options
  const vault = await openVault(control, config)
  const connections = await createConnections({ control, vault, now, newId })
  return { connections, receiving: new Receiving(options) }
}
