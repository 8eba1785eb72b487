import {
  acceptInvitation,
  changeMember,
  createWorkspace,
  getSession,
  getWorkspace,
  inviteMember,
  leaveWorkspace,
  listAuditLog,
  listInvitations,
  listMembers,
  listSites,
  listWorkspaces,
  mintApiKey,
  type Role,
  removeMember,
  renameWorkspace,
  requestMagicLink,
  revokeApiKey,
  revokeInvitation,
  roles,
  transferWorkspace,
  verifyMagicLink,
} from '@assay/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAdmission } from '../../auth/sign-in/sign-up.ts'
import { newId } from '../../platform/clock.ts'
import { dayMs } from '../../platform/units.ts'
import { caller, startWorld, type TestPerson, type TestWorkspace, type World } from '../../testing/harness.ts'
import { startMailServer } from '../../testing/mail-server.ts'
import { acceptOpenInvitations } from './invitations.ts'
import { findUserByEmail } from './users.ts'

let world: World
const clock = { aheadMs: 0 }

beforeAll(async () => {
  world = await startWorld({ now: () => Date.now() + clock.aheadMs })
})
afterAll(() => world?.close())

type Team = { workspace: TestWorkspace } & Record<Role, TestPerson>

async function newTeam(): Promise<Team> {
  const workspace = await world.newWorkspace()
  const people = await Promise.all(roles.map(async (role) => [role, await world.signIn(role, workspace)]))
  return { workspace, ...Object.fromEntries(people) }
}

const byId = (id: string) => ({ params: { id } })

describe('a workspace', () => {
  test('is created, listed, read and renamed by its owner, and by no one else', async () => {
    const owner = await world.signIn('viewer')
    const created = await owner.call(createWorkspace, { body: { name: 'Shop' } })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ name: 'Shop', role: 'owner', deletion: null })
    const { id } = created.body
    const { body: mine } = await owner.call(listWorkspaces, {})
    expect(mine.data.map(({ id, role }) => `${id} ${role}`)).toEqual([
      `${owner.workspaceId} viewer`,
      `${id} owner`,
    ])
    const renamed = await owner.call(renameWorkspace, { ...byId(id), body: { name: 'Store' } })
    expect(renamed.body).toMatchObject({ id, name: 'Store' })
    const headers = { 'x-assay-workspace': id }
    expect((await owner.call(listSites, { query: {} }, { headers })).body.data).toEqual([])
    const { body: log } = await owner.call(listAuditLog, { query: {} }, { headers })
    expect(log.data).toMatchObject([
      {
        action: 'workspace.renamed',
        details: { from: 'Shop', name: 'Store' },
        actor: { label: owner.email },
      },
      { action: 'workspace.created', object: { type: 'workspace', id }, actor: { kind: 'person' } },
    ])
    const stranger = await world.signIn('owner')
    expect((await stranger.call(getWorkspace, byId(id))).status).toBe(404)
    expect((await stranger.call(renameWorkspace, { ...byId(id), body: { name: 'X' } })).status).toBe(404)
    expect((await stranger.call(leaveWorkspace, byId(id))).status).toBe(404)
  })

  test('is renamed and handed over by owners only', async () => {
    const team = await newTeam()
    const params = byId(team.workspace.workspaceId)
    for (const role of ['admin', 'analyst', 'viewer'] as const) {
      expect((await team[role].call(renameWorkspace, { ...params, body: { name: 'X' } })).status).toBe(403)
      const toThemselves = { ...params, body: { user_id: team[role].userId } }
      expect((await team[role].call(transferWorkspace, toThemselves)).status).toBe(403)
    }
  })

  test('is handed over to another member, and the former owner stays as an admin', async () => {
    const { workspace, owner, viewer } = await newTeam()
    const params = byId(workspace.workspaceId)
    const toNobody = await owner.call(transferWorkspace, { ...params, body: { user_id: 'usr_none' } })
    expect(toNobody.status).toBe(404)
    const toSelf = await owner.call(transferWorkspace, { ...params, body: { user_id: owner.userId } })
    expect(toSelf.status).toBe(409)
    const handed = await owner.call(transferWorkspace, { ...params, body: { user_id: viewer.userId } })
    expect(handed.body.role).toBe('admin')
    expect((await viewer.call(getWorkspace, params)).body.role).toBe('owner')
    expect((await viewer.call(listAuditLog, { query: {} })).status).toBe(200)
    expect((await owner.call(listAuditLog, { query: {} })).status).toBe(403)
  })

  test('can be left by anyone except its last owner', async () => {
    const { workspace, owner, analyst } = await newTeam()
    const params = byId(workspace.workspaceId)
    expect((await analyst.call(leaveWorkspace, params)).status).toBe(204)
    expect((await analyst.call(listMembers, { query: {} })).status).toBe(404)
    const refused = await owner.call(leaveWorkspace, params)
    expect(refused.status).toBe(409)
    expect(refused.problem.detail).toContain('last owner')
    await world.signIn('owner', workspace)
    expect((await owner.call(leaveWorkspace, params)).status).toBe(204)
  })
})

describe('a member', () => {
  test('is listed in pages to every member, and to keys that may', async () => {
    const { workspace, viewer } = await newTeam()
    const { body: all } = await viewer.call(listMembers, { query: {} })
    expect(all.data.map(({ role }) => role).toSorted()).toEqual([...roles].toSorted())
    const { body: first } = await workspace.call(listMembers, { query: { limit: 3 } })
    const { body: rest } = await workspace.call(listMembers, { query: { cursor: first.next_cursor ?? '' } })
    expect([...first.data, ...rest.data]).toEqual(all.data)
    expect(all.data.find(({ id }) => id === viewer.userId)).toMatchObject({ email: viewer.email })
  })

  test('gets another role from those who may do all that both roles may, and at once', async () => {
    const { workspace, owner, admin, analyst, viewer } = await newTeam()
    const change = async (by: TestPerson, whom: TestPerson, role: Role) =>
      (await by.call(changeMember, { ...byId(whom.userId), body: { role } })).status
    expect(await change(admin, viewer, 'admin')).toBe(200)
    expect(await change(viewer, analyst, 'viewer')).toBe(200)
    expect(await change(analyst, viewer, 'viewer')).toBe(403)
    expect(await change(admin, viewer, 'owner')).toBe(403)
    expect(await change(admin, admin, 'owner')).toBe(403)
    expect(await change(admin, owner, 'viewer')).toBe(403)
    expect(await change(owner, owner, 'viewer')).toBe(409)
    expect(await change(owner, viewer, 'owner')).toBe(200)
    expect(await change(viewer, owner, 'viewer')).toBe(200)
    const { body: log } = await viewer.call(listAuditLog, {
      query: { action: 'member.role_changed', limit: 1 },
    })
    expect(log.data).toMatchObject([
      {
        actor: { id: viewer.userId },
        object: { type: 'member', id: owner.userId },
        details: { email: owner.email, from: 'owner', role: 'viewer' },
      },
    ])
    const withKey = await workspace.call(changeMember, { ...byId(analyst.userId), body: { role: 'owner' } })
    expect(withKey.status).toBe(200)
  })

  test('is not made mightier by a key than the key is', async () => {
    const { workspace, viewer } = await newTeam()
    const body = { kind: 'secret' as const, name: 'HR', scopes: ['members:write' as const] }
    const { key } = (await workspace.call(mintApiKey, { body })).body
    const change = { ...byId(viewer.userId), body: { role: 'analyst' as const } }
    expect((await workspace.call(changeMember, change, { key })).status).toBe(403)
  })

  test('who is removed loses access at once, with the invitations that they sent', async () => {
    const { workspace, owner, admin, viewer } = await newTeam()
    await admin.call(inviteMember, { body: { email: 'late@example.com', role: 'admin' } })
    expect((await viewer.call(removeMember, byId(admin.userId))).status).toBe(403)
    expect((await admin.call(removeMember, byId(owner.userId))).status).toBe(403)
    expect((await workspace.call(removeMember, byId(owner.userId))).status).toBe(409)
    expect((await owner.call(removeMember, byId(admin.userId))).status).toBe(204)
    expect((await admin.call(listMembers, { query: {} })).status).toBe(404)
    expect((await owner.call(removeMember, byId(admin.userId))).status).toBe(404)
    const { body: invitations } = await owner.call(listInvitations, { query: {} })
    expect(invitations.data).toMatchObject([{ email: 'late@example.com', status: 'revoked' }])
    const { body: log } = await owner.call(listAuditLog, { query: { action: 'member.removed' } })
    expect(log.data).toMatchObject([
      { object: { id: admin.userId }, details: { email: admin.email, role: 'admin' } },
    ])
  })
})

test('with a mail server the link of an invitation is in the mail and nowhere else', async () => {
  const mailServer = await startMailServer()
  const mailing = await startWorld({
    config: { smtpUrl: mailServer.url, mailFrom: 'Assay <assay@shop.example>' },
  })
  try {
    const workspace = await mailing.newWorkspace()
    const body = { email: 'guest@example.com', role: 'viewer' as const }
    const made = await workspace.call(inviteMember, { body })
    expect(made.body).toMatchObject({ email: 'guest@example.com', link: null })
    expect(JSON.stringify(made.body)).not.toContain('it_')
    const { text = '' } = await mailServer.newest('guest@example.com')
    const token = /#invitation=(it_\S+)/.exec(text)?.[1] ?? ''
    const entered = await caller(mailing.product.url, null)(verifyMagicLink, { body: { token } })
    expect([token.length > 40, entered.status]).toEqual([true, 401])
  } finally {
    await mailing.close()
    await mailServer.close()
  }
})

describe('an invitation', () => {
  const address = () => `${newId('guest')}@example.com`
  const tokenFor = (email: string) =>
    world.printed.findLast((line) => line.includes(email))?.match(/#invitation=(\S+)/)?.[1] ?? ''

  async function invited(workspace: TestWorkspace, email: string, role: Role = 'analyst') {
    const answer = await workspace.call(inviteMember, { body: { email, role } })
    expect(answer.status).toBe(201)
    const token = tokenFor(email.toLowerCase())
    // No mail server is set here, so the link is in the answer.
    expect(answer.body.link).toBe(`${world.product.url}/sign-in#invitation=${token}`)
    return { id: answer.body.id, token }
  }

  test('goes out by mail, is accepted once by its link, and gives the role', async () => {
    const workspace = await world.newWorkspace()
    const owner = await world.signIn('owner', workspace)
    const email = address()
    const { id, token } = await invited(workspace, email.toUpperCase())
    expect(token).toMatch(/^it_/)
    const { body: list } = await workspace.call(listInvitations, { query: {} })
    expect(list.data).toMatchObject([{ id, email, role: 'analyst', status: 'pending' }])
    expect(JSON.stringify(list)).not.toContain(token)
    const guest = await world.signIn('viewer')
    const joined = await guest.call(acceptInvitation, { body: { token } })
    expect(joined.body).toMatchObject({ id: workspace.workspaceId, role: 'analyst' })
    const headers = { 'x-assay-workspace': workspace.workspaceId }
    expect((await guest.call(listMembers, { query: {} }, { headers })).status).toBe(200)
    const repeated = await guest.call(acceptInvitation, { body: { token } })
    expect(repeated.body).toEqual(joined.body)
    const other = await world.signIn('viewer')
    const again = await other.call(acceptInvitation, { body: { token } })
    const unknown = await other.call(acceptInvitation, { body: { token: 'it_none' } })
    expect(again.status).toBe(404)
    expect(again.problem.detail).toBe(unknown.problem.detail)
    const { body: log } = await owner.call(listAuditLog, { query: { object_type: 'invitation' } })
    expect(log.data).toMatchObject([
      {
        action: 'invitation.accepted',
        object: { id },
        actor: { id: guest.userId },
        details: { invited_as: email },
      },
      { action: 'invitation.sent', object: { id }, details: { role: 'analyst' } },
    ])
    expect(JSON.stringify(log)).not.toContain(token)
  })

  test('is accepted by signing in with the address that it was sent to, also without an account', async () => {
    const workspace = await world.newWorkspace()
    const email = address()
    await invited(workspace, email, 'viewer')
    const anybody = caller(world.product.url, null)
    expect((await anybody(requestMagicLink, { body: { email } })).status).toBe(202)
    await world.product.deps.signIn.magicLinks.idle()
    const link = world.printed.findLast((line) => line.includes(email) && line.includes('#token='))
    const token = /#token=([^\s&]+)/.exec(link ?? '')?.[1] ?? ''
    const session = await anybody(verifyMagicLink, { body: { token } })
    expect(session.status).toBe(200)
    const mine = await anybody(listWorkspaces, {}, { key: session.body.access_token ?? '' })
    expect(mine.body.data).toMatchObject([{ id: workspace.workspaceId, role: 'viewer' }])
  })

  test('cannot be used after it was revoked, replaced or has expired', async () => {
    const workspace = await world.newWorkspace()
    const guest = await world.signIn('viewer')
    const accept = async (token: string) => (await guest.call(acceptInvitation, { body: { token } })).status
    const revoked = await invited(workspace, address())
    expect((await workspace.call(revokeInvitation, byId(revoked.id))).status).toBe(204)
    expect((await workspace.call(revokeInvitation, byId(revoked.id))).status).toBe(404)
    expect(await accept(revoked.token)).toBe(404)
    const email = address()
    const first = await invited(workspace, email)
    const soon = await workspace.call(inviteMember, { body: { email, role: 'viewer' } })
    expect(soon.status).toBe(429)
    expect(Number(soon.headers.get('retry-after'))).toBeGreaterThan(0)
    clock.aheadMs = 61_000
    const second = await invited(workspace, email)
    expect(await accept(first.token)).toBe(404)
    clock.aheadMs = 8 * dayMs
    const late = await world.signIn('viewer')
    expect((await late.call(acceptInvitation, { body: { token: second.token } })).status).toBe(404)
    const { body: list } = await workspace.call(listInvitations, { query: {} })
    expect(list.data.map(({ status }) => status)).toEqual(['expired', 'revoked', 'revoked'])
    clock.aheadMs = 0
  })

  test('makes the account of who has none, once and in its workspace alone, where no mail is sent', async () => {
    const [here, elsewhere] = [await world.newWorkspace(), await world.newWorkspace()]
    const [email, member] = [address(), await world.signIn('viewer')]
    const { token } = await invited(here, email)
    const other = await invited(elsewhere, email)
    const enter = (offered: string) =>
      caller(world.product.url, null)(verifyMagicLink, { body: { token: offered } })
    const answers = await Promise.all([enter(token), enter(token), enter(token)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
    const key = answers.find(({ status }) => status === 200)?.body.access_token ?? ''
    const workspacesOf = async (key: string) =>
      (await caller(world.product.url, key)(getSession, {})).body.workspaces.map(({ id }) => id)
    expect(await workspacesOf(key)).toEqual([here.workspaceId])
    expect((await enter(other.token)).status).toBe(401)
    expect((await enter((await invited(here, member.email)).token)).status).toBe(401)

    // Who shows that the address is theirs joins the other one, and ends what began without that.
    const { magicLinks } = world.product.deps.signIn
    const link = await magicLinks.make(email, 5)
    const owned = await enter(/#token=([\w-]+)/.exec(link)?.[1] ?? '')
    expect((await workspacesOf(owned.body.access_token ?? '')).toSorted()).toEqual(
      [here.workspaceId, elsewhere.workspaceId].toSorted(),
    )
    expect((await caller(world.product.url, key)(getSession, {})).status).toBe(401)
  })

  test('of two workspaces, opened at the same time, makes one account in one of them', async () => {
    const [here, elsewhere] = [await world.newWorkspace(), await world.newWorkspace()]
    const email = address()
    const links = [await invited(here, email), await invited(elsewhere, email)]
    const enter = ({ token }: { token: string }) =>
      caller(world.product.url, null)(verifyMagicLink, { body: { token } })
    const answers = await Promise.all(links.map(enter))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401])
    const index = answers.findIndex(({ status }) => status === 200)
    const key = answers[index]?.body.access_token ?? ''
    const { body } = await caller(world.product.url, key)(getSession, {})
    expect(body.workspaces.map(({ id }) => id)).toEqual([[here, elsewhere][index]?.workspaceId])
  })

  test('that was revoked makes no account', async () => {
    const workspace = await world.newWorkspace()
    const email = address()
    const { id, token } = await invited(workspace, email)
    await workspace.call(revokeInvitation, { params: { id } })
    const entered = await caller(world.product.url, null)(verifyMagicLink, { body: { token } })
    expect(entered.status).toBe(401)
    expect(await findUserByEmail(world.product.deps.control, email)).toBeNull()
  })

  test('loses its effect when who sent it may send it no more', async () => {
    const { workspace, owner, admin } = await newTeam()
    const send = async (by: { call: TestPerson['call'] }, role: Role, key?: string) => {
      const email = address()
      const options = key === undefined ? {} : { key }
      expect((await by.call(inviteMember, { body: { email, role } }, options)).status).toBe(201)
      return { email, token: tokenFor(email) }
    }
    const accept = async (token: string) =>
      (await (await world.signIn('viewer')).call(acceptInvitation, { body: { token } })).status
    const { mayEnter } = createAdmission({
      ...world.product.deps,
      now: () => Date.now(),
      newId,
      signUp: 'invited',
      userChanged: async () => {},
      endSessions: async () => {},
    })
    const asAdmin = await send(admin, 'admin')
    const asViewer = await send(admin, 'viewer')
    expect(await mayEnter(asAdmin.email)).toBe(true)
    const { control } = world.product.deps
    // As if the role had changed in another way than by the route, which revokes them.
    await control.query("UPDATE memberships SET role = 'analyst' WHERE user_id = $1", [admin.userId])
    expect(await accept(asAdmin.token)).toBe(404)
    expect(await mayEnter(asAdmin.email)).toBe(false)
    await control.query("UPDATE memberships SET role = 'admin' WHERE user_id = $1", [admin.userId])
    const changed = { ...byId(admin.userId), body: { role: 'viewer' as const } }
    expect((await owner.call(changeMember, changed)).status).toBe(200)
    const promoted = { ...byId(admin.userId), body: { role: 'admin' as const } }
    expect((await owner.call(changeMember, promoted)).status).toBe(200)
    for (const { token } of [asAdmin, asViewer]) expect(await accept(token)).toBe(404)

    const { body: minted } = await owner.call(mintApiKey, {
      body: { kind: 'secret', name: 'x', scopes: ['*'] },
    })
    const byKey = await send(workspace, 'owner', minted.key)
    expect((await owner.call(revokeApiKey, byId(minted.id))).status).toBe(200)
    expect(await accept(byKey.token)).toBe(404)
    const asOwner = await send(owner, 'owner')
    const asAnalyst = await send(owner, 'analyst')
    const heir = { ...byId(workspace.workspaceId), body: { user_id: admin.userId } }
    expect((await owner.call(transferWorkspace, heir)).status).toBe(200)
    expect(await accept(asOwner.token)).toBe(404)
    expect(await accept(asAnalyst.token)).toBe(200)
  })

  test('is refused for members, for addresses that are none, and for roles beyond one’s own', async () => {
    const { admin, viewer, analyst } = await newTeam()
    const send = async (by: TestPerson, email: string, role: Role) =>
      (await by.call(inviteMember, { body: { email, role } })).status
    expect(await send(admin, viewer.email, 'viewer')).toBe(409)
    expect(await send(admin, 'nobody', 'viewer')).toBe(422)
    expect(await send(admin, address(), 'owner')).toBe(403)
    expect(await send(analyst, address(), 'viewer')).toBe(403)
  })

  test('cannot be accepted twice at the same time', async () => {
    const workspace = await world.newWorkspace()
    const { token } = await invited(workspace, address())
    const guests = await Promise.all(Array.from({ length: 4 }, () => world.signIn('viewer')))
    const answers = await Promise.all(
      guests.map((guest) => guest.call(acceptInvitation, { body: { token } })),
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404, 404])
  })

  test('leaves the role of a person who became a member in another way', async () => {
    const workspace = await world.newWorkspace()
    const email = address()
    const { token } = await invited(workspace, email, 'viewer')
    const admin = await world.signIn('admin', workspace)
    expect((await admin.call(acceptInvitation, { body: { token } })).body.role).toBe('admin')
    const joined = await acceptOpenInvitations(world.product.deps, { userId: admin.userId, email })
    expect(joined).toEqual([])
  })
})
