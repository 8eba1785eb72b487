import type { RawEvent } from '@assay/contract'
import type { ConsentJudge } from '../consent/consents.ts'
import { createDelivery } from '../http/outbound-address.ts'
import type { Clock, NewId } from '../platform/clock.ts'
import type { ItemFailure } from '../platform/items.ts'
import type { Logger } from '../platform/logging/logger.ts'
import type { SendNotice } from '../platform/notices.ts'
import { openVault, type VaultOptions } from '../platform/secrets/vault.ts'
import { dayMs } from '../platform/units.ts'
import { createSites, type Sites } from '../sites/sites.ts'
import type { Control } from '../store/control.ts'
import { createDestinations, type Destinations } from './destinations.ts'
import { deleteOldDispatches } from './dispatch-store.ts'
import { createForwarding, type Forward, type Grants, type Named } from './event-forward.ts'
import { createNotices } from './notices.ts'
import { boundQueues, type QueueBounds } from './queue-bounds.ts'
import { createSending, type Sending } from './sender.ts'

/** Everything that goes out to addresses of customers. */
export type Outgoing = {
  destinations: Destinations
  sending: Sending
  forward: Forward
  sendNotice: SendNotice
  forgetOld: () => Promise<void>
  /** Drops what exceeds the size or time of its queue. */
  boundQueues: (onFailure: ItemFailure) => Promise<void>
}

type OutgoingOptions = {
  control: Control
  consents: ConsentJudge
  config: VaultOptions & { allowPrivateCallbacks: boolean; destinationQueue: QueueBounds }
  now: Clock
  newId: NewId
  logger: Logger
}

const deliveredDays = 7
/** The longest that anything of an event stays there. */
export const deadDays = 30

export async function createOutgoing(options: OutgoingOptions): Promise<Outgoing> {
  const { control, consents, config, now, newId } = options
  const logger = options.logger.child({ component: 'destinations' })
  const vault = await openVault(control, config)
  const destinations = await createDestinations({ control, vault, now, newId })
  // Read while the log is loaded at a start, when closed workspaces are not known yet; they are not needed.
  const sites = await createSites(control, () => false)
  const shared = { control, destinations, now, newId }
  return {
    destinations,
    sending: createSending({ ...shared, deliver: createDelivery(config.allowPrivateCallbacks) }),
    forward: createForwarding({ ...shared, grants: askConsent(sites, consents) }),
    sendNotice: createNotices(shared),
    forgetOld: () =>
      deleteOldDispatches(
        control,
        new Date(now() - deliveredDays * dayMs),
        new Date(now() - deadDays * dayMs),
      ),
    boundQueues: (onFailure) =>
      boundQueues({ control, bounds: config.destinationQueue, now, logger }, onFailure),
  }
}

function askConsent(sites: Sites, consents: ConsentJudge): Grants {
  return async (workspaceId, named, purposes) => {
    const site = await sites.own(workspaceId, named.siteId)
    if (site === null) return false
    const { consent, suppressed } = await consents.find(workspaceId, rawEventOf(named), site, false)
    return suppressed !== true && purposes.every((one) => (consent?.allowed(one) ?? 'granted') === 'granted')
  }
}

/** As consent reads an event: who it names and what its context says. */
function rawEventOf({ personId, userId, anonymousId, context }: Named): RawEvent {
  return {
    name: '',
    standardName: undefined,
    eventId: undefined,
    anonymousId,
    // A sender may use a device id that looks like the server's visitor ids, and a person may have denied by
    // it.
    isAnonymousIdDerived: false,
    userId,
    personId,
    sessionId: undefined,
    siteId: undefined,
    tsClient: undefined,
    sentAt: undefined,
    properties: {},
    context,
    traits: undefined,
    page: { url: undefined, path: undefined, title: undefined, referrer: undefined },
    contractVersion: undefined,
    isHistorical: false,
    envelopeBytes: 0,
    sizeBytes: undefined,
    findings: [],
  }
}
