import { createHash } from 'node:crypto'
import type { OauthProvider, Problem } from '@assay/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { dashboardHeader } from '../http/person.ts'
import { escapeHtml } from './mail-layout.ts'

/**
 * Where a magic link or an invitation leads. Opening it does nothing yet: programs that look into mails open links too,
 * and a link works only once. The person presses the button, and the page exchanges the token for cookies, or joins.
 */
export function signInPage(
  app: FastifyInstance,
  providers: Partial<Record<OauthProvider, { title: string }>>,
): void {
  const buttons = Object.entries(providers).map(
    ([name, { title }]) =>
      `<p><a class="button quiet" href="/v1/auth/oauth/${name}">Go on with ${title}</a></p>`,
  )
  const html = page(
    'Sign in',
    `<h1>Sign in to Assay</h1>
     <form id="ask"><p><label for="email">Your e-mail address</label>
     <input id="email" type="email" autocomplete="email" required></p>
     <p><button class="button">Send me a link</button></p></form>
     ${buttons.join('\n')}
     <form id="enter" hidden><p>You opened a link to sign in.</p>
     <p><button class="button">Sign in</button></p></form>
     <form id="join" hidden><p>You are invited to a workspace.</p>
     <p><button class="button">Join</button></p></form>
     <p id="said" role="status"></p>
     <script>${script}</script>`,
  )
  app.get('/sign-in', async (_request, reply) => sendPage(reply, html, script))
}

/** A refusal that a person is looking at. */
export function refusalPage(reply: FastifyReply, { status, options }: Problem): FastifyReply {
  const words = `<h1>You are not signed in</h1><p>${escapeHtml(options.detail)}</p>
    <p><a class="button" href="/sign-in">Back to sign-in</a></p>`
  reply.code(status)
  for (const [name, value] of Object.entries(options.headers ?? {})) reply.header(name, value)
  return sendPage(reply, page('Not signed in', words), script)
}

const script = `
const fragment = new URLSearchParams(location.hash.slice(1))
const [ask, enter, join, said] = ['ask', 'enter', 'join', 'said'].map((id) => document.getElementById(id))
const post = (path, body) => fetch(path, { method: 'POST', body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', '${dashboardHeader}': '1' } })
const say = async (sending) => {
  try {
    const answer = await sending
    const body = await answer.json()
    said.textContent = body.message || body.detail || ''
    return answer.ok
  } catch { said.textContent = 'The server cannot be reached. Try again.'; return false }
}
// Another link to this very page: the browser would change the address and nothing else.
addEventListener('hashchange', () => location.reload())
const invitation = fragment.get('invitation')
const isOurs = (path) => /^\\/(?![\\/\\\\])/.test(path)
const wanted = isOurs(fragment.get('to') || '') ? fragment.get('to') : ''
const returnTo = invitation ? '/sign-in#invitation=' + encodeURIComponent(invitation) : wanted
const backHere = returnTo && returnTo.length <= 500 ? { return_to: returnTo } : {}
for (const link of document.querySelectorAll('a[href^="/v1/auth/oauth/"]')) {
  if (backHere.return_to) link.href += '?' + new URLSearchParams(backHere)
}
if (invitation) { ask.hidden = true; join.hidden = false; history.replaceState(null, '', '/sign-in') }
join.addEventListener('submit', async (event) => {
  event.preventDefault()
  const joining = post('/v1/invitations/accept', { token: invitation })
  if (await say(joining)) location.assign('/')
  else if ((await joining.catch(() => ({}))).status === 401) {
    said.textContent = 'Sign in first, best with the address that was invited.'
    join.hidden = true; ask.hidden = false
  }
})
if (fragment.has('token')) { ask.hidden = true; enter.hidden = false; history.replaceState(null, '', '/sign-in') }
ask.addEventListener('submit', (event) => {
  event.preventDefault()
  say(post('/v1/auth/magic-link', { email: document.getElementById('email').value, ...backHere }))
})
enter.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (await say(post('/v1/auth/magic-link/verify', { token: fragment.get('token'), delivery: 'cookies' })))
    location.assign(wanted || '/')
  else ask.hidden = false, enter.hidden = true
})
`
const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem;color:#1c2430}
label{display:block;margin-bottom:.3rem}input,select{width:100%;box-sizing:border-box;padding:.6rem;font:inherit}
.button{display:block;width:100%;box-sizing:border-box;padding:.7rem;border:0;border-radius:6px;background:#1f4fd8;
color:#fff;font:inherit;font-weight:600;text-align:center;text-decoration:none;cursor:pointer}
.quiet{background:#e3e6ea;color:#1c2430}
@media(prefers-color-scheme:dark){body{background:#12161d;color:#e6e9ef}.quiet{background:#2a3140;color:#e6e9ef}}`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
/** Only what stands on the page runs there, it talks to nobody but us, and nobody frames it. */
const policyFor = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Assay</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body>${body}</body></html>`
}

export function sendPage(reply: FastifyReply, html: string, script: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policyFor(script))
    .header('referrer-policy', 'no-referrer')
    .serializer((text: unknown) => String(text))
    .send(html)
}
