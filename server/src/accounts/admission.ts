import type { Clock, NewId } from '../clock.ts'
import type { Control } from '../store/control.ts'
import { markVerified, selectUserByEmail, type UserRow } from './user-store.ts'
import { ensureUser } from './users.ts'

/** Who gets an account: whoever was made a member, and anybody where the operator says so. */
export type Admission = {
  mayEnter: (email: string) => Promise<boolean>
  /** The user of an address that was just shown to be theirs; null when they may not enter. */
  enter: (email: string, name: string) => Promise<UserRow | null>
}

export type AdmissionOptions = { control: Control; now: Clock; newId: NewId; signUp: 'invited' | 'open' }

export function createAdmission({ control, now, newId, signUp }: AdmissionOptions): Admission {
  const mayEnter = async (email: string) =>
    signUp === 'open' || (await selectUserByEmail(control, email)) !== null
  return {
    mayEnter,
    async enter(email, name) {
      if (!(await mayEnter(email))) return null
      const user = await ensureUser(control, newId, now, email)
      return markVerified(control, user.id, name, new Date(now()))
    },
  }
}
