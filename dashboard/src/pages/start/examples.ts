export const ways = ['snippet', 'module', 'curl', 'segment'] as const
export type WayName = (typeof ways)[number]

/** What to paste. Without a key its place is marked, so that the example still reads. */
export function writeExample(way: WayName, origin: string, key: string | null): string {
  if (way === 'curl') return writeCurl(origin, key ?? 'sk_live_…')
  const publicKey = key ?? 'pk_live_…'
  if (way === 'snippet') return `<script async src="${origin}/sdk.js" data-key="${publicKey}"></script>`
  if (way === 'module') return writeModule(origin, publicKey)
  return writeSegment(origin, publicKey)
}

function writeModule(origin: string, key: string): string {
  return `import { init } from '${origin}/sdk.mjs'

const assay = init('${key}', { host: '${origin}' })
assay.track('plan_chosen', { plan: 'pro' })`
}

function writeCurl(origin: string, key: string): string {
  return `curl ${origin}/v1/track \\
  --header 'Authorization: Bearer ${key}' \\
  --header 'Content-Type: application/json' \\
  --data '{"event": "$signup", "user_id": "u_1", "properties": {"method": "email"}}'`
}

function writeSegment(origin: string, key: string): string {
  return `import { AnalyticsBrowser } from '@segment/analytics-next'

const settings = { apiKey: '${key}', apiHost: '${origin.replace(/^https?:\/\//, '')}/v1' }
const analytics = AnalyticsBrowser.load({
  writeKey: settings.apiKey,
  cdnSettings: { integrations: { 'Segment.io': settings } },
})
analytics.track('Signed Up', { method: 'email' })`
}
