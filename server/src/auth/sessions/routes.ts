import {
  getSession,
  listSessions,
  Problem,
  refreshSession,
  revokeSession,
  type Session,
} from '@assay/contract'
import { requireOwnPage } from '../../http/access/person.ts'
import { unauthenticated } from '../../http/access/principal.ts'
import { type Plane, serve } from '../../http/serve.ts'
import { pageDefault, pageOf } from '../../platform/page.ts'
import type { Platform } from '../../platform/platform.ts'
import { findUser, workspacesOf } from '../../workspaces/members/users.ts'
import { hand, refusedSignIn } from '../sign-in/routes.ts'
import { readRefreshCookie, takeSessionCookies } from './cookies.ts'
import type { Sessions } from './sessions.ts'
import { type SessionRow, selectSession, selectSessions } from './store.ts'

type Needs = Pick<Platform, 'control' | 'now'> & { sessions: Sessions }

const ended = 'This session has ended. Sign in again.'

export function sessionRoutes(plane: Plane, { control, sessions, now }: Needs): void {
  const { cookies } = plane

  serve(plane, refreshSession, async ({ body, request, reply }) => {
    const fromCookie = body.refresh_token === undefined
    if (fromCookie) requireOwnPage(request.headers, cookies)
    const token = body.refresh_token ?? readRefreshCookie(request.headers, cookies.isSecure())
    const tokens = token === null ? null : await sessions.refresh(token)
    const user = tokens && (await findUser(control, tokens.userId))
    if (tokens !== null && user !== null)
      return hand(plane, reply, tokens, user, fromCookie ? 'cookies' : 'body')
    if (fromCookie) takeSessionCookies(reply, cookies.isSecure())
    throw refusedSignIn(plane, request, reply, ended)
  })

  serve(plane, revokeSession, async ({ body, caller, reply }) => {
    const sessionId = body.all === true ? null : (body.session_id ?? caller.sessionId)
    const revoked = await sessions.revoke(caller.userId, sessionId)
    if (revoked.length === 0 && sessionId !== null) {
      throw new Problem('not-found', { detail: 'There is no such session, or it has ended.' })
    }
    if (revoked.includes(caller.sessionId)) takeSessionCookies(reply, cookies.isSecure())
    return { revoked }
  })

  serve(plane, getSession, async ({ caller }) => {
    const session = await selectSession(control, caller.sessionId)
    const user = await findUser(control, caller.userId)
    if (session === null || user === null) throw unauthenticated(ended)
    return {
      user: { id: user.id, email: user.email, name: user.name },
      session: toSession(session, caller.sessionId),
      workspaces: await workspacesOf(control, caller.userId),
    }
  })

  serve(plane, listSessions, async ({ query, caller }) => {
    const limit = query.limit ?? pageDefault
    const at = new Date(now())
    const rows = await selectSessions(control, caller.userId, at, query.cursor ?? null, limit + 1)
    const { page, next } = pageOf(rows, limit, ({ id }) => id)
    return {
      data: page.map((row) => toSession(row, caller.sessionId)),
      next_cursor: next,
    }
  })
}

function toSession(row: SessionRow, currentId: string): Session {
  return {
    id: row.id,
    current: row.id === currentId,
    method: row.method,
    device: row.device,
    country: row.country,
    created_at: row.created_at.toISOString(),
    last_used_at: row.last_used_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }
}
