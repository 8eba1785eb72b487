import { createDigest, type Digest, getDigest, type Input } from '@assay/contract'
import type { Email } from 'postal-mime'
import { hourMs } from '../../platform/units.ts'
import { raise, startWorld, type TestWorkspace, type World } from '../../testing/harness.ts'
import { type MailServer, startMailServer } from '../../testing/mail-server.ts'

/** Monday, two hours before the default time: the last whole week is 2 to 8 November. */
export const mondayMs = Date.UTC(2026, 10, 9, 6)
/** As the source of a campaign: anyone can write it into a link. */
export const hostileSource = '"><script>alert(1)</script>&\'x'

export type DigestWorld = {
  clock: { ms: number }
  mails: MailServer
  world: World
  /** Runs the job once; no item may fail. */
  work: () => Promise<void>
  mailsTo: (email: string) => Email[]
  close: () => Promise<void>
}

export async function startDigestWorld(): Promise<DigestWorld> {
  const clock = { ms: mondayMs }
  const mails = await startMailServer()
  const world = await startWorld({
    now: () => clock.ms,
    config: { smtpUrl: mails.url, mailFrom: 'Assay <assay@shop.example>' },
  })
  return {
    clock,
    mails,
    world,
    work: () => world.product.deps.digests.sending.work(raise),
    mailsTo: (email) => mails.mails.filter(({ to }) => to?.some(({ address }) => address === email)),
    async close() {
      await world.close()
      await mails.close()
    },
  }
}

/** Twelve visitors in the last week and six in the one before; one path was visited by a single person. */
export async function sendVisits({ send }: TestWorkspace): Promise<void> {
  const at = (day: number, nth: number) => new Date(Date.UTC(2026, 10, day, 10) + nth * hourMs).toISOString()
  const view = (id: string, ts: string, path: string) => ({
    event: '$pageview',
    event_id: id,
    anonymous_id: `visitor-${id}`,
    ts,
    historical: true,
    properties: { url: `https://shop.example${path}`, title: 'Page' },
    ...(path === '/sale' && { context: { campaign: { source: hostileSource } } }),
  })
  const last = Array.from({ length: 12 }, (_, nth) =>
    view(`last-${nth}`, at(2 + (nth % 6), nth), nth < 6 ? '/cart' : nth < 11 ? '/sale' : '/invoice/ada'),
  )
  const before = Array.from({ length: 6 }, (_, nth) =>
    view(`before-${nth}`, at(-3 + (nth % 3), nth), '/cart'),
  )
  await send([...last, ...before], { outcomes: ['accept', 'warn'] })
}

type Wanted = Partial<Input<typeof createDigest>['body']>

export async function makeDigest({ call, siteId }: TestWorkspace, wanted: Wanted): Promise<Digest> {
  const { status, body } = await call(createDigest, {
    body: { siteId, type: 'overview', recipients: ['ada@example.com'], ...wanted },
  })
  if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
  return body
}

export async function readDigest({ call }: TestWorkspace, id: string): Promise<Digest> {
  return (await call(getDigest, { params: { id } })).body
}

export const headerOf = (mail: Email, name: string): string =>
  mail.headers.find(({ key }) => key === name)?.value ?? ''
