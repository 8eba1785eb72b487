import { clientBatch, posthogCapture, posthogConfig, posthogConfigScript, posthogFlags } from './posthog.ts'
import {
  amplitudeEvents,
  mixpanelEngage,
  mixpanelEngageOne,
  mixpanelImport,
  mixpanelTrack,
  mixpanelTrackOne,
} from './product-trackers.ts'
import { rudderSourceConfig } from './rudder.ts'
import { ga4Collect, matomoPixel, matomoTrack, plausibleEvent, umamiSend } from './web-trackers.ts'

export const otherClientRoutes = [
  posthogCapture,
  clientBatch,
  posthogFlags,
  posthogConfig,
  posthogConfigScript,
  rudderSourceConfig,
  plausibleEvent,
  umamiSend,
  ga4Collect,
  amplitudeEvents,
  mixpanelTrack,
  mixpanelTrackOne,
  mixpanelEngage,
  mixpanelEngageOne,
  mixpanelImport,
  matomoTrack,
  matomoPixel,
] as const

/** Other addresses of the same. */
export const otherClientPaths: ReadonlyMap<string, string> = new Map([
  ...['/e', '/e/', '/i/v0/e', '/i/v0/e/', '/capture/'].map((path) => [path, '/capture'] as const),
  ...['/flags/', '/decide', '/decide/'].map((path) => [path, '/flags'] as const),
  ['/batch/', '/batch'],
  ['/track/', '/track'],
  ['/engage/', '/engage'],
  ['/import/', '/import'],
  ['/piwik.php', '/matomo.php'],
  ['/sourceConfig/', '/sourceConfig'],
])
