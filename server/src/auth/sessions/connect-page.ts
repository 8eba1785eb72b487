import type { FastifyInstance } from 'fastify'
import { dashboardHeader, workspaceHeader } from '../../http/access/person.ts'
import { page, sendPage } from '../sign-in/sign-in-page.ts'

/**
 * Where `assay init` sends a user who signs in with the browser. The code goes to the command through a port
 * of the machine that the browser runs on, so a link from someone else does not give them the code.
 */
export function connectPage(app: FastifyInstance): void {
  const html = page(
    'Connect a command',
    `<h1>Connect the command</h1>
     <p><b id="name"></b> on this machine asks for an API key, to read and change contracts, to send events and to read
     reports. It is made for you, and you can revoke it under API keys.</p>
     <form id="allow" hidden><p><label for="workspace">Workspace</label><select id="workspace"></select></p>
     <p><button class="button">Allow</button></p></form>
     <p>Did you not just call <code>assay init</code>? Then close this page.</p>
     <p id="said" role="status"></p>
     <script>${script}</script>`,
  )
  app.get('/connect', async (_request, reply) => sendPage(reply, html, script))
}

const script = `
const query = new URLSearchParams(location.search)
const [challenge, state, port, name] = ['challenge', 'state', 'port', 'name'].map((one) => query.get(one) || '')
const isSound = /^[A-Za-z0-9_-]{43}$/.test(challenge) && /^[A-Za-z0-9_-]{16,64}$/.test(state) &&
  /^[0-9]{2,5}$/.test(port) && name.length > 0 && name.length <= 80
const [allow, workspace, said] = ['allow', 'workspace', 'said'].map((id) => document.getElementById(id))
document.getElementById('name').textContent = isSound ? name : 'Something'
const call = (method, path, body, headers) => fetch(path, { method, ...(body && { body: JSON.stringify(body) }),
  headers: { ...(body && { 'content-type': 'application/json' }), '${dashboardHeader}': '1', ...headers } })
const begin = async () => {
  if (!isSound) { said.textContent = 'This address is not whole. Call assay init again.'; return }
  let answer = await call('GET', '/v1/workspaces')
  if (answer.status === 401 && (await call('POST', '/v1/auth/session/refresh', {})).ok)
    answer = await call('GET', '/v1/workspaces')
  if (answer.status === 401) {
    location.replace('/sign-in#to=' + encodeURIComponent(location.pathname + location.search))
    return
  }
  const { data } = await answer.json()
  for (const one of data.filter(({ role }) => role === 'owner' || role === 'admin')) {
    const option = document.createElement('option')
    option.value = one.id
    option.textContent = one.name
    workspace.append(option)
  }
  if (workspace.options.length > 0) allow.hidden = false
  else said.textContent = 'You are signed in, but your role may not make API keys. Ask an admin for one.'
}
allow.addEventListener('submit', async (event) => {
  event.preventDefault()
  try {
    const answer = await call('POST', '/v1/auth/commands', { code_challenge: challenge, name },
      { '${workspaceHeader}': workspace.value })
    const body = await answer.json()
    if (!answer.ok) { said.textContent = body.detail; return }
    allow.hidden = true
    location.assign('http://127.0.0.1:' + port + '/?' + new URLSearchParams({ code: body.code, state }))
  } catch { said.textContent = 'The server cannot be reached. Try again.' }
})
begin().catch(() => { said.textContent = 'The server cannot be reached. Try again.' })
`
