import { isEmail, Problem, type Role } from '@assay/contract'
import type { Clock, NewId } from '../../platform/clock.ts'
import type { Sql } from '../../store/control.ts'
import { insertMembership } from './store.ts'
import { insertUser, type UserRow } from './user-store.ts'

export {
  deleteUser,
  markVerified as verifyUser,
  selectUser as findUser,
  selectUserByEmail as findUserByEmail,
  selectUserEmail as emailOf,
  selectUserWorkspaces as workspacesOf,
  type UserRow,
} from './user-store.ts'

/** An address as we keep it: one human who writes it differently is still one human. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase()
  if (isEmail(email)) return email
  throw new Problem('invalid-parameter', {
    detail: 'email is not an email address.',
    errors: [{ field: 'email', message: 'must be an email address' }],
  })
}

/** The user of an address, created if missing. Until they sign in, the address is unverified. */
export function ensureUser(sql: Sql, newId: NewId, now: Clock, email: string, name = ''): Promise<UserRow> {
  return insertUser(sql, newUser(newId, now, email, name))
}

/** Null where the address has an account, even one that another request creates at the same time. */
export async function createUser(sql: Sql, newId: NewId, now: Clock, email: string): Promise<UserRow | null> {
  const user = newUser(newId, now, email, '')
  const stored = await insertUser(sql, user)
  return stored.id === user.id ? stored : null
}

function newUser(newId: NewId, now: Clock, email: string, name: string): UserRow {
  const id = newId('usr')
  return { id, email: readEmail(email), name, created_at: new Date(now()), email_verified_at: null }
}

/** To be followed by `membershipChanges.changed`, so that every node knows. */
export function addMember(
  sql: Sql,
  now: Clock,
  workspaceId: string,
  userId: string,
  role: Role,
): Promise<void> {
  return insertMembership(sql, workspaceId, userId, role, new Date(now()))
}
