import { type Output, type Role, roleScopes, type Scope, type Site } from '@assay/contract'
import { createContext, useContext } from 'react'
import type { RouteOf } from '../api/routes.ts'

export type Me = Output<RouteOf<'getSession'>>
type Session = { me: Me; role: Role; site: Site; sites: readonly Site[] }

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('a page is shown to a signed-in user only')
  return session
}

/** Whether the role of this person has a scope: what they may not do is not offered to them. */
export function useMay(scope: Scope): boolean {
  const { role } = useSession()
  const has: readonly Scope[] = roleScopes[role]
  return has.includes('*') || has.includes(scope)
}
