import type { TestWorkspace } from '../../../server/src/testing/harness.ts'

const chrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36'
const iphone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/604.1'
const hourMs = 3_600_000
const visits = 60
/** One visit in ten has the unregistered event. */
export const plansChosen = visits / 10

/** Some days of a small shop: visits with pages, purchases, an unregistered event, and a broken one. */
export async function fill(shop: TestWorkspace): Promise<void> {
  const events = Array.from({ length: visits }, (_, visit) => visitOf(visit)).flat()
  const numbered = events.map((event, index) => ({ ...event, event_id: `dashboard-event-${index}` }))
  await shop.send(numbered, { key: shop.keys.secret, outcomes: ['accept', 'warn', 'quarantine', 'reject'] })
}

function visitOf(visit: number): object[] {
  const begunMs = Date.now() - hourMs - visit * 2 * hourMs
  const person = `visitor-${visit % 45}`
  const event = (name: string, path: string, minute: number, properties: object = {}) => ({
    event: name,
    anonymous_id: person,
    session_id: `visit-${visit}`,
    ts: new Date(begunMs + minute * 60_000).toISOString(),
    properties: { url: `https://shop.example${path}`, title: path, ...properties },
    context: {
      userAgent: visit % 3 === 0 ? iphone : chrome,
      page: {
        url: `https://shop.example${path}`,
        path,
        referrer: visit % 2 === 0 ? 'https://www.google.com/' : '',
      },
    },
  })
  return [
    event('$pageview', visit % 2 === 0 ? '/' : '/pricing', 0),
    event('$pageview', `/product/${visit % 4}`, 1),
    ...(visit % 5 === 0
      ? [
          event('$purchase', '/thanks', 3, {
            amount: 20 + visit,
            currency: 'EUR',
            order_id: `order-${visit}`,
          }),
        ]
      : []),
    ...(visit % 10 === 1 ? [event('plan_chosen', '/pricing', 2, { plan: 'pro' })] : []),
    ...(visit % 30 === 2 ? [event('$purchase', '/thanks', 4, { currency: 'EUR' })] : []),
  ]
}
