import type { OauthProvider, Problem } from '@assay/contract'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { dashboardHeader } from '../../http/access/person.ts'
import { pageColorRules } from '../../http/assets/page-colors.ts'
import { ownPath } from '../../http/input/own-path.ts'
import { policyHash } from '../../http/security-headers.ts'
import { escapeHtml } from '../../platform/mail/mail-layout.ts'

/**
 * Where a magic link or an invitation leads. Opening it does nothing yet: programs that look into mails open links too,
 * and a link works only once. The person presses the button, and the page exchanges the token for cookies, or joins.
 */
export function signInPage(
  app: FastifyInstance,
  providers: Partial<Record<OauthProvider, { title: string }>>,
  hasMail: boolean,
): void {
  const buttons = Object.entries(providers).map(
    ([name, { title }]) =>
      `<p><a class="button quiet" href="/v1/auth/oauth/${name}">Continue with ${title}</a></p>`,
  )
  const script = scriptFor(hasMail)
  const html = page(
    'Sign in',
    `<h1>Sign in to Assay</h1>
     <form id="ask" novalidate><p><label for="email">Email address</label>
     <input id="email" type="email" autocomplete="email" aria-describedby="said" required></p>
     <p><button class="button">${hasMail ? 'Email me a sign-in link' : 'Get a sign-in link'}</button></p>
     ${hasMail ? '' : withoutMail}</form>
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
  return sendPage(reply, page('Not signed in', words), '')
}

const withoutMail =
  '<p class="hint">This server sends no mail. It writes the link to its console and its log.</p>'

const scriptFor = (hasMail: boolean) => `
const isWithoutMail = ${!hasMail}
const fragment = new URLSearchParams(location.hash.slice(1))
const [ask, enter, join, said] = ['ask', 'enter', 'join', 'said'].map((id) => document.getElementById(id))
const post = (path, body) => fetch(path, { method: 'POST', body: JSON.stringify(body),
  headers: { 'content-type': 'application/json', '${dashboardHeader}': '1' } })
const show = (words, isWrong) => { said.textContent = words; said.classList.toggle('wrong', isWrong) }
const email = document.getElementById('email')
const buttons = document.querySelectorAll('form button')
// While one press is on its way, another would send a second mail or spend the link twice.
const say = async (sending) => {
  for (const button of buttons) button.disabled = true
  try {
    const answer = await sending
    const body = await answer.json()
    show(body.message || body.detail || '', !answer.ok)
    return answer.ok
  } catch { show('Cannot reach the server. Try again.', true); return false }
  finally { for (const button of buttons) button.disabled = false }
}
const isAddress = () => {
  const isRight = email.value.trim() !== '' && email.validity.valid
  email.setAttribute('aria-invalid', String(!isRight))
  if (!isRight) { show('Enter your email address, such as ada@example.com.', true); email.focus() }
  return isRight
}
// Another link to this very page: the browser would change the address and nothing else.
addEventListener('hashchange', () => location.reload())
const invitation = fragment.get('invitation')
const ownPath = ${ownPath}
const wanted = fragment.has('to') ? ownPath(fragment.get('to')) : ''
const returnTo = invitation ? '/sign-in#invitation=' + encodeURIComponent(invitation) : wanted
const backHere = returnTo && returnTo.length <= 500 ? { return_to: returnTo } : {}
for (const link of document.querySelectorAll('a[href^="/v1/auth/oauth/"]')) {
  if (backHere.return_to) link.href += '?' + new URLSearchParams(backHere)
}
if (invitation) { ask.hidden = true; join.hidden = false; history.replaceState(null, '', '/sign-in') }
join.addEventListener('submit', async (event) => {
  event.preventDefault()
  const joining = post('/v1/invitations/accept', { token: invitation })
  if (await say(joining)) return location.assign('/')
  if ((await joining.catch(() => ({}))).status !== 401) return
  // Without a mail server the link of an invitation makes the account.
  if (isWithoutMail && (await say(post('/v1/auth/magic-link/verify', { token: invitation, delivery: 'cookies' }))))
    return location.assign('/')
  show('Sign in first, best with the address that was invited.', false)
  join.hidden = true; ask.hidden = false
})
if (fragment.has('token')) { ask.hidden = true; enter.hidden = false; history.replaceState(null, '', '/sign-in') }
ask.addEventListener('submit', (event) => {
  event.preventDefault()
  if (isAddress()) say(post('/v1/auth/magic-link', { email: email.value, ...backHere }))
})
enter.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (await say(post('/v1/auth/magic-link/verify', { token: fragment.get('token'), delivery: 'cookies' })))
    location.assign(wanted || '/')
  else ask.hidden = false, enter.hidden = true
})
`
/** As the dashboard looks, which is where it leads; the file of its own styles is not made yet at a first start. */
const style = `${pageColorRules}
*{box-sizing:border-box}[hidden]{display:none!important}
body{margin:0;padding:12vh 1rem 2rem;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:25rem;margin:0 auto;padding:1.75rem;border:1px solid var(--line);border-radius:12px;
background:var(--sheet);box-shadow:0 8px 28px rgb(15 25 20/8%);overflow-wrap:anywhere}
.mark{display:block;width:44px;height:44px;margin-bottom:1rem}
h1{margin:0 0 1rem;font-size:1.4rem;font-weight:650;line-height:1.2;letter-spacing:-.01em}
p{margin:0 0 1rem}#said{margin:0}.hint{color:var(--soft);font-size:.9rem}
form:has(~ #said:not(:empty)) .hint,#said:empty{display:none}#said.wrong{color:var(--wrong);font-weight:550}
label{display:block;margin-bottom:.3rem;font-size:.9rem;font-weight:600}
input,select{width:100%;padding:.6rem .75rem;border:1px solid var(--strong);border-radius:8px;background:var(--sheet);
color:var(--ink);font:inherit}input[aria-invalid=true]{border-color:var(--wrong)}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.button{display:block;width:100%;padding:.7rem;border:1px solid var(--accent);border-radius:8px;
background:var(--accent);color:var(--on-accent);font:inherit;font-weight:600;text-align:center;text-decoration:none;
cursor:pointer}.button:disabled{opacity:.55;cursor:progress}
.quiet{border-color:var(--strong);background:var(--sheet);color:var(--ink)}.quiet:hover{background:var(--sunk)}`

/** Only the inline script runs, it connects only to us, and the page cannot be framed. */
const policyFor = (script: string) =>
  [
    "default-src 'none'",
    `script-src ${policyHash(script)}`,
    `style-src ${policyHash(style)}`,
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const mark = `<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
<rect width="32" height="32" rx="8" fill="#1d3b36"/>
<path d="M16 5.5 25 26h-4.3l-1.9-4.6h-5.6L11.3 26H7Z" fill="#f4ead2"/>
<circle cx="16" cy="17" r="2.6" fill="#d9a441"/></svg>`

export function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title} · Assay</title>
<meta name="viewport" content="width=device-width, initial-scale=1"><style>${style}</style></head>
<body><main>${mark}${body}</main></body></html>`
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
