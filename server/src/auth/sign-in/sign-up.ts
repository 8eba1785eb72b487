import type { Clock, NewId } from '../../platform/clock.ts'
import type { Control } from '../../store/control.ts'
import { acceptAsNewUser, acceptOpenInvitations, isInvited } from '../../workspaces/members/invitations.ts'
import { ensureUser, findUserByEmail, type UserRow, verifyUser } from '../../workspaces/members/users.ts'

/** Who gets an account: members, invited people, and anyone if the operator allows it. */
export type Admission = {
  mayEnter: (email: string) => Promise<boolean>
  /**
   * The user of an address that was just shown to be theirs, member of whatever they were invited to; null when they
   * may not enter.
   */
  enter: (email: string, name: string) => Promise<UserRow | null>
  /** The user that an invitation makes where no mail can show whose the address is; null when it makes none. */
  enterInvited: (token: string) => Promise<UserRow | null>
}

type AdmissionOptions = {
  control: Control
  now: Clock
  newId: NewId
  signUp: 'invited' | 'open'
  /** Called when a person became a member of a workspace. */
  userChanged: (userId: string) => Promise<void>
  /** Ends every session of a person. */
  endSessions: (userId: string) => Promise<unknown>
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { control, now, newId, signUp, userChanged, endSessions } = options
  const mayEnter = async (email: string) =>
    signUp === 'open' || (await findUserByEmail(control, email)) !== null || (await isInvited(options, email))
  return {
    mayEnter,
    async enter(email, name) {
      if (!(await mayEnter(email))) return null
      const { id, email_verified_at: verifiedAt } = await ensureUser(control, newId, now, email)
      // Until now anyone with a link of an invitation may have used the account.
      if (verifiedAt === null) await endSessions(id)
      const user = await verifyUser(control, id, name, new Date(now()))
      if ((await acceptOpenInvitations(options, { userId: id, email })).length > 0) await userChanged(id)
      return user
    },
    async enterInvited(token) {
      const user = await acceptAsNewUser(options, token)
      if (user !== null) await userChanged(user.id)
      return user
    },
  }
}
