import { createHash } from 'node:crypto'
import { Problem, type WebhookReceipt, webhookLimits } from '@assay/contract'
import {
  type HeadersLike,
  isHandshake,
  normaliseWebhook,
  readWebhook,
  type VendorEvent,
  verifyWebhook,
} from '@assay/server/webhooks'
import { unauthenticated } from '../http/access/principal.ts'
import { nowhereKnown, type PlaceLookup } from '../ingest/enrich/country/place.ts'
import { createWorkspaceQueue, type WorkspaceQueue } from '../ingest/row/workspace-queue.ts'
import type { NewId } from '../platform/clock.ts'
import { forEachItem, type ItemFailure } from '../platform/items.ts'
import { jsonDepth } from '../platform/text/json-depth.ts'
import { dayMs } from '../platform/units.ts'
import { requireSite, type Sites } from '../sites/sites.ts'
import { locks } from '../store/locks.ts'
import { type Connection, connectionUrl, validAt } from './connections.ts'
import { keptDays, receiptOf, storable, storedEvent, unreadableEvent, unreadableType } from './deliveries.ts'
import {
  countRepeats,
  type DeliveryRow,
  evictReportsBeyond,
  forgetDeliveriesBefore,
  insertDelivery,
  postponeDelivery,
  selectDelivery,
  selectDue,
  selectEarlier,
  updateDelivery,
} from './delivery-store.ts'
import { type DeliveryResult, type Destination, Making, type MakingDeps } from './event-maker.ts'
import { paymentDays } from './payment-memory.ts'
import { forgetPaymentsBefore } from './payment-store.ts'

export type ReceivingOptions = MakingDeps & {
  sites: Sites
  newId: NewId
  placeOf: PlaceLookup
  dataUrl: () => string
}

/** A subscription is sent within seconds after its order; retries after a failure take some minutes. */
const waitMs = 10 * 60_000
const dueMax = 100
/** When what could not be counted is tried again. */
const postponeMs = 3_600_000
/** Facts of one delivery are processed concurrently, so that they share one disk write. */
const atOnceMax = 50

type Origin = Pick<Connection, 'id' | 'provider' | 'site_id' | 'workspace_id'>
type ReportedEvent = { event: VendorEvent; item: number }

/** Receives deliveries: verified, each fact once, and stored if no event could be derived. */
export class Receiving {
  readonly #options: ReceivingOptions
  readonly #making: Making
  readonly #turns: WorkspaceQueue

  constructor(options: ReceivingOptions) {
    this.#options = options
    this.#making = new Making(options)
    this.#turns = createWorkspaceQueue(options.control, locks.deliveriesOfVendors)
  }

  /** `charge` is called with the number of facts, before any of them counts. */
  async receive(
    connection: Connection,
    body: Uint8Array,
    headers: HeadersLike,
    charge: (count: number) => void,
  ): Promise<WebhookReceipt> {
    const { provider } = connection
    if (isHandshake(provider, body, headers)) return receiptOf([], false)
    await this.#requireSignature(connection, body, headers)
    const reported = readReported(provider, body, headers)
    charge(reported.length)
    const bodyHash = createHash('sha256').update(body).digest()
    if (!reported.some((event) => remembers(provider, event)))
      return this.#take(connection, reported, bodyHash, atOnceMax)
    return this.#turns.take(connection.id, () => this.#take(connection, reported, bodyHash, 1))
  }

  /** Processes a stored delivery again. */
  async replay(row: DeliveryRow): Promise<WebhookReceipt> {
    if (row.payload === null) {
      const detail = 'Events were made of this delivery already; there is nothing to try again.'
      throw new Problem('conflict', { detail })
    }
    return this.#turns.take(row.connection_id, async () => receiptOf([await this.#again(row)], false))
  }

  /** Counts orders that waited long enough, and forgets what is old. */
  async tend(onFailure: ItemFailure): Promise<void> {
    const { control, now } = this.#options
    const again = ({ id, workspace_id, connection_id }: DeliveryRow) =>
      this.#turns.take(connection_id, async () => {
        const row = await selectDelivery(control, workspace_id, id)
        if (row?.status === 'waiting') await this.#again(row)
      })
    await forEachItem(await selectDue(control, new Date(now()), dueMax), again, async (error, row) => {
      // As late as the longest wait: what cannot be counted must not stand before what can, turn after turn.
      await postponeDelivery(control, row.id, new Date(now() + postponeMs)).catch((cause: unknown) =>
        onFailure(cause, row),
      )
      onFailure(error, row)
    })
    await forgetDeliveriesBefore(control, new Date(now() - keptDays * dayMs))
    await forgetPaymentsBefore(control, new Date(now() - paymentDays * dayMs))
  }

  async #requireSignature(connection: Connection, body: Uint8Array, headers: HeadersLike): Promise<void> {
    const { now, dataUrl } = this.#options
    if (connection.secrets === null) {
      throw new Problem('unavailable', {
        detail: 'The secrets of this connection cannot be read right now. Deliver it again later.',
        internal: `the secrets of ${connection.id} were sealed with another key: check ASSAY_ENCRYPTION_KEY`,
      })
    }
    const answer = await verifyWebhook(connection.provider, body, headers, {
      secrets: validAt(connection, now()).map(({ secret }) => secret),
      now,
      url: connection.registered_url ?? connectionUrl(dataUrl(), connection),
    })
    if (!answer.ok) throw unauthenticated(`This delivery was not accepted. ${answer.detail}`)
  }

  async #take(
    connection: Connection,
    events: readonly VendorEvent[],
    bodyHash: Uint8Array,
    atOnce: number,
  ): Promise<WebhookReceipt> {
    const { control } = this.#options
    const ids = events.flatMap(({ id }) => storable(id) ?? [])
    const whose = { workspaceId: connection.workspace_id, connectionId: connection.id }
    const earlier = await selectEarlier(control, whose, bodyHash, ids)
    const reported = events.map((event, item) => ({ event, item }))
    const before = reported.flatMap((one) => earlier.find((row) => isSame(row, one, bodyHash)) ?? [])
    const fresh = reported.filter((one) => !earlier.some((row) => isSame(row, one, bodyHash)))
    const to = await this.#destination(connection)
    const rows: DeliveryRow[] = []
    for (let at = 0; at < fresh.length; at += atOnce) {
      const part = fresh.slice(at, at + atOnce)
      rows.push(...(await Promise.all(part.map((one) => this.#process(connection, to, one, bodyHash)))))
    }
    if (before.length > 0) await countRepeats(control, [...new Set(before.map(({ id }) => id))])
    if (rows.some(({ payload }) => payload !== null)) await evictReportsBeyond(control, whose, keptMost)
    return receiptOf([...before, ...rows], fresh.length === 0)
  }

  async #process(
    connection: Connection,
    to: Destination,
    { event, item }: ReportedEvent,
    bodyHash: Uint8Array,
  ): Promise<DeliveryRow> {
    const { now, newId, control } = this.#options
    const { status, reason, event_ids, waitsFor } = await this.#make(
      connection,
      to,
      { event, item },
      bodyHash,
    )
    const row: DeliveryRow = {
      id: newId('whd'),
      workspace_id: connection.workspace_id,
      connection_id: connection.id,
      site_id: connection.site_id,
      provider: connection.provider,
      vendor_id: storable(event.id),
      body_hash: bodyHash,
      item,
      type: storable(event.type) ?? '',
      status,
      reason,
      event_ids,
      repeats: 0,
      occurred_at: event.occurredAt === null ? null : new Date(event.occurredAt),
      received_at: new Date(now()),
      due_at: waitsFor === null ? null : new Date(now() + waitMs),
      waits_for: waitsFor,
      payload: status === 'accepted' || status === 'handshake' ? null : JSON.stringify(event.payload),
    }
    await insertDelivery(control, row)
    return row
  }

  async #make(
    connection: Connection,
    to: Destination,
    reported: ReportedEvent,
    bodyHash: Uint8Array,
  ): Promise<DeliveryResult> {
    const { event, item } = reported
    if (event.isHandshake) return setAside('handshake', null)
    if (event.isTest && !connection.include_test) return setAside('test', null)
    if (event.type === unreadableType) return setAside('unmapped', 'unreadable')
    const key = createHash('sha256')
      .update(bodyHash)
      .update(`${connection.id} ${item}`)
      .digest('hex')
      .slice(0, 32)
    return this.#making.make(to, event, key, false)
  }

  /** An order that was waiting waits no longer. */
  async #again(row: DeliveryRow): Promise<DeliveryRow> {
    const to = await this.#destination({ ...row, id: row.connection_id })
    const made = await this.#making.make(to, storedEvent(row), row.id, true)
    const changed = { ...row, ...made, payload: made.status === 'accepted' ? null : row.payload }
    await updateDelivery(this.#options.control, changed)
    return changed
  }

  async #destination({ id, provider, site_id, workspace_id }: Origin): Promise<Destination> {
    const { sites, placeOf } = this.#options
    return {
      connectionId: id,
      provider,
      site: await requireSite(sites, workspace_id, site_id),
      sender: {
        workspaceId: workspace_id,
        keyClass: 'secret',
        keyId: id,
        endpoint: `webhook:${provider}`,
        storesNothing: false,
        // The vendor's machine is not the person's: only what the event itself says of a device or place counts.
        facts: {
          credential: 'secret',
          agent: null,
          locale: '',
          place: nowhereKnown,
          lookupPlace: placeOf,
          gpc: false,
        },
      },
    }
  }
}

function setAside(status: DeliveryResult['status'], reason: string | null): DeliveryResult {
  return { status, reason, event_ids: [], waitsFor: null }
}

const keptMost = { rows: webhookLimits.keptMax, bytes: webhookLimits.keptBytesMax }
/** Any time that a column and an answer can hold. */
const timeMsMax = Date.UTC(9999, 0, 1)

/** What is signed and yet nothing that the vendor sends is listed as unreadable: no body costs a failure. */
function readReported(
  provider: DeliveryRow['provider'],
  body: Uint8Array,
  headers: HeadersLike,
): readonly VendorEvent[] {
  if (jsonDepth(Buffer.from(body).toString('utf8')) > webhookLimits.depthMax) return [unreadableEvent(body)]
  try {
    const read = readWebhook(provider, body, headers)
    return 'ok' in read ? [unreadableEvent(body)] : read.map((event) => readable(provider, event))
  } catch {
    return [unreadableEvent(body)]
  }
}

function readable(provider: DeliveryRow['provider'], event: VendorEvent): VendorEvent {
  const { occurredAt } = event
  const isTime = occurredAt !== null && occurredAt >= 0 && occurredAt < timeMsMax
  const timed = { ...event, occurredAt: isTime ? Math.trunc(occurredAt) : null }
  try {
    normaliseWebhook(provider, timed)
    return timed
  } catch {
    return { ...timed, type: unreadableType }
  }
}

/** Such deliveries are taken one after another, since what they mean depends on those before. */
function remembers(provider: DeliveryRow['provider'], event: VendorEvent): boolean {
  const { facts, orderToWaitFor, payment } = normaliseWebhook(provider, event)
  return facts.length > 0 || orderToWaitFor !== null || payment !== undefined
}

function isSame(row: DeliveryRow, { event, item }: ReportedEvent, bodyHash: Uint8Array): boolean {
  const isSameBody = row.item === item && Buffer.compare(row.body_hash, bodyHash) === 0
  return isSameBody || (event.id !== null && row.vendor_id === storable(event.id))
}
