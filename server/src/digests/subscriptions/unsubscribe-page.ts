import { Problem, type Subscription } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { pageColorRules } from '../../http/assets/page-colors.ts'
import { policyHash } from '../../http/security-headers.ts'
import type { Plane } from '../../http/serve.ts'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import { readSubscription, type SubscriptionNeeds, setSubscribed } from './subscriptions.ts'

type UnsubscribeRequest = { Params: { token: string }; Querystring: { again?: unknown } }

/**
 * Where the link in a mail leads, for people and for mail programs. Opening it changes nothing, as programs that look
 * into mails open links too. A POST unsubscribes at once, whatever its body is: RFC 8058. No script is needed.
 */
export function unsubscribePage({ app, limits }: Plane, needs: SubscriptionNeeds): void {
  // Encapsulated, so that a form is taken here and nowhere else. It needs no cookie, so no other page gains by it.
  app.register(async (pages) => {
    pages.removeAllContentTypeParsers()
    pages.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: bodyBytesMax }, (_request, _body, done) =>
      done(null, undefined),
    )
    const answer = async (
      request: FastifyRequest<UnsubscribeRequest>,
      reply: FastifyReply,
      made: () => Promise<Subscription>,
    ) => {
      reply.type('text/html; charset=utf-8').headers(pageHeaders)
      try {
        limits.charge('open', request.ip)
        return subscriptionPage(await made())
      } catch (error) {
        if (!(error instanceof Problem) || error.status >= 500) throw error
        reply.code(error.status).headers({ ...error.options.headers })
        return page('This link cannot be used', `<p>${escapeHtml(error.options.detail)}</p>`)
      }
    }
    pages.get<UnsubscribeRequest>('/unsubscribe/:token', (request, reply) =>
      answer(request, reply, () => readSubscription(needs, request.params.token)),
    )
    pages.post<UnsubscribeRequest>('/unsubscribe/:token', (request, reply) =>
      answer(request, reply, () =>
        setSubscribed(needs, request.params.token, request.query.again !== undefined),
      ),
    )
  })
}

/** A form of mail programs has 26 bytes; as several parts a little more. */
const bodyBytesMax = 10_000

function subscriptionPage({ siteName, frequency, state }: Subscription): string {
  const mail = `the ${frequency} mail about ${escapeHtml(siteName)}`
  if (state === 'active') {
    return page(
      'Unsubscribe',
      `<p>You receive ${mail}.</p><form method="post" action="?"><button>Unsubscribe</button></form>`,
    )
  }
  return page(
    'You are unsubscribed',
    `<p>You do not receive ${mail} any more.</p>
<form method="post" action="?again=yes"><button class="quiet">Subscribe again</button></form>`,
  )
}

const style = `${pageColorRules}body{font:16px/1.5 system-ui,sans-serif;max-width:32rem;margin:4rem auto;
padding:0 1.25rem;color:var(--ink);background:var(--paper)}h1{font-size:1.4rem}
button{font:inherit;font-weight:600;padding:.6rem 1.4rem;
border-radius:8px;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);cursor:pointer}
button.quiet{background:none;color:inherit;border-color:currentColor}`

const pageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${policyHash(style)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'cache-control': 'no-store',
}

function page(heading: string, body: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${heading}</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex, nofollow">
<style>${style}</style>
<body><main><h1>${heading}</h1>${body}</main></body></html>`
}
