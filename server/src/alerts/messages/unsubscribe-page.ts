import { listAlerts } from '@assay/contract'
import type { FastifyReply } from 'fastify'
import { pageColorRules } from '../../http/assets/page-colors.ts'
import { policyHash } from '../../http/security-headers.ts'
import { isServedOn, type Plane } from '../../http/serve.ts'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'
import type { Control } from '../../store/control.ts'
import { removeRecipient } from '../store.ts'
import { type UnsubscribeLinks, unsubscribePath } from './unsubscribe.ts'

type Needs = { control: Control; links: UnsubscribeLinks }

/** RFC 8058 sends a few words. */
const bodyBytesMax = 4_096

/**
 * Opening the link changes nothing, as scanners of mails open it; the button, or the mail program, sends it. It needs
 * no cookie: the link is the secret. So it may be sent as a form, which no other route takes.
 */
export function unsubscribePage(plane: Plane, { control, links }: Needs): void {
  if (!isServedOn(plane, listAlerts)) return
  plane.app.register(async (app) => {
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: bodyBytesMax }, (_request, _text, done) =>
      done(null, undefined),
    )
    app.get<{ Params: { token: string } }>(unsubscribePath, async ({ params, ip }, reply) => {
      plane.limits.charge('open', ip)
      const found = links.read(params.token)
      if (found === null) return send(reply, 404, unknownLink)
      const button = '<form method="post"><button>Unsubscribe</button></form>'
      return send(
        reply,
        200,
        `<h1>Unsubscribe</h1><p>${escapeHtml(found.email)} gets no more mails of this alert.</p>${button}`,
      )
    })
    app.post<{ Params: { token: string } }>(unsubscribePath, async ({ params, ip }, reply) => {
      plane.limits.charge('open', ip)
      const found = links.read(params.token)
      if (found === null) return send(reply, 404, unknownLink)
      await control.transaction((sql) => removeRecipient(sql, found, found.email))
      return send(reply, 200, '<h1>Unsubscribed</h1><p>You get no more mails of this alert.</p>')
    })
  })
}

const unknownLink =
  '<h1>Unknown link</h1><p>Open the link of a newer mail, or ask who sent it to remove you.</p>'
const style =
  `${pageColorRules}body{font:16px/1.5 system-ui,sans-serif;max-width:30rem;margin:15vh auto;padding:0 1.25rem;` +
  'color:var(--ink);background:var(--paper)}' +
  'h1{font-size:1.4rem;margin:0 0 .5rem}p{overflow-wrap:anywhere}' +
  'button{font:inherit;font-weight:600;padding:.6rem 1.4rem;border:0;border-radius:8px;cursor:pointer;' +
  'background:var(--accent);color:var(--on-accent)}'

function send(reply: FastifyReply, status: number, body: string): string {
  const policy = [
    "default-src 'none'",
    `style-src ${policyHash(style)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  reply.code(status).type('text/html; charset=utf-8').headers({
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
    'x-robots-tag': 'noindex, nofollow',
    'cache-control': 'no-store',
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Unsubscribe</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style><body>${body}</body></html>`
}
