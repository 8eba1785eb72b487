import { createHash } from 'node:crypto'
import { Problem } from '@assay/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Limits } from '../http/limits/limits.ts'
import type { Clock } from '../platform/clock.ts'
import { RecentMap } from '../platform/recent-map.ts'
import { hashToken } from '../platform/secrets/tokens.ts'
import type { Control } from '../store/control.ts'
import { isPassword } from './password.ts'
import { type ShareRow, selectShareByToken } from './store.ts'

type VisitNeeds = {
  control: Control
  now: Clock
  /** Whether a workspace is being deleted or filled: nothing of it is shown. */
  isClosed: (workspaceId: string) => boolean
}

/** The share that a visitor asks for, after every check. */
export type Visit = (token: string, request: FastifyRequest, limits: Limits) => Promise<ShareRow>

const tokenShape = /^shr_[A-Za-z0-9_-]{43}$/
/** Passwords that were right a moment ago, as digests: each read of a page would derive a key again. */
const knownMax = 1_000

export function createVisits({ control, now, isClosed }: VisitNeeds): Visit {
  const known = new RecentMap<true>(knownMax)
  return async (token, request, limits) => {
    const row = tokenShape.test(token) ? await selectShareByToken(control, hashToken(token)) : null
    const isOver = row === null || (row.expires_at !== null && row.expires_at.getTime() <= now())
    if (isOver || isClosed(row.workspace_id)) throw noSuchLink()
    if (row.password_hash !== null) await requirePassword(row.password_hash, request, limits, known)
    return row
  }
}

/** The same for unknown, revoked and expired: an address that leads nowhere says nothing. */
export function noSuchLink(): Problem {
  return new Problem('not-found', { detail: 'There is no such link, or it is no longer valid.' })
}

async function requirePassword(
  stored: string,
  request: FastifyRequest,
  limits: Limits,
  known: RecentMap<true>,
): Promise<void> {
  const password = passwordIn(request.headers.authorization)
  if (password === null) throw passwordNeeded('This link needs a password.')
  const digest = createHash('sha256').update(`${stored} ${password}`).digest('base64url')
  if (known.get(digest) === true) return
  // Before the key is derived, so that guesses are few and cost little.
  limits.charge('signIn', request.ip)
  if (!(await isPassword(password, stored))) throw passwordNeeded('This is not the password.')
  known.set(digest, true)
}

function passwordNeeded(detail: string): Problem {
  return new Problem('unauthenticated', {
    detail,
    headers: { 'www-authenticate': 'Basic realm="Shared link", charset="UTF-8"' },
  })
}

const passwordCharactersMax = 1_000

function passwordIn(header: string | undefined): string | null {
  const [, encoded] = /^basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header ?? '') ?? []
  if (encoded === undefined || encoded.length > 2 * passwordCharactersMax) return null
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? null : text.slice(colon + 1)
}

/** Nothing of it is indexed or cached, and only the named sites may frame it. */
export function secureShared(reply: FastifyReply, origins: readonly string[], style: string | null): void {
  const frames = origins.length === 0 ? "'none'" : origins.join(' ')
  const policy = [
    "default-src 'none'",
    ...(style === null ? [] : [`style-src ${style}`]),
    "form-action 'none'",
    "base-uri 'none'",
    `frame-ancestors ${frames}`,
  ]
  reply.headers({
    'content-security-policy': policy.join('; '),
    'x-robots-tag': 'noindex, nofollow, noarchive',
    'cache-control': 'no-store',
  })
}
