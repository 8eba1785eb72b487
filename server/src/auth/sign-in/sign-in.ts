import type { Config } from '../../config.ts'
import type { Platform } from '../../platform/platform.ts'
import { dayMs } from '../../platform/units.ts'
import { type DeviceOf, describeAgent } from '../sessions/devices.ts'
import { deleteEndedSessions } from '../sessions/store.ts'
import { createMagicLinks, type MagicLinks } from './magic-links.ts'
import { createOauth, type Oauth } from './oauth.ts'
import { createProviders } from './oauth-providers.ts'
import { createAdmission } from './sign-up.ts'
import { deleteExpiredSignIns } from './store.ts'

/** Everything needed to sign in. */
export type SignIn = {
  magicLinks: MagicLinks
  oauth: Oauth
  signUp: 'invited' | 'open'
  redirectUris: readonly string[]
  deviceOf: DeviceOf
  /** Deletes expired links, states and sessions. */
  forgetOld: () => Promise<void>
  close: () => Promise<void>
}

type PlatformNeeds = Pick<
  Platform,
  'control' | 'now' | 'newId' | 'publicUrl' | 'countryOfRequest' | 'logger' | 'mailer'
>
type SignInOptions = PlatformNeeds & {
  config: Pick<Config, 'signUp' | 'oauth'>
  /** Called for a person who became a member somewhere. */
  userChanged: (userId: string) => Promise<void>
  /** Ends every session of a person. */
  endSessions: (userId: string) => Promise<unknown>
}

/** Ended sessions are kept for inspection, for about as long as they could have lasted. */
const endedDaysKept = 30

export function createSignIn(options: SignInOptions): SignIn {
  const { control, config, now, newId, publicUrl, logger, mailer } = options
  const { signUp } = config
  const { userChanged, endSessions } = options
  const admission = createAdmission({ control, now, newId, signUp, userChanged, endSessions })
  const magicLinks = createMagicLinks({ control, mailer, admission, now, publicUrl, logger })
  const providers = createProviders(config.oauth)
  return {
    magicLinks,
    oauth: createOauth({ control, admission, providers, now, newId, publicUrl }),
    signUp,
    redirectUris: config.oauth.redirectUris,
    deviceOf: (request) => ({
      device: describeAgent(request.headers['user-agent'] ?? ''),
      country: options.countryOfRequest(request),
    }),
    async forgetOld() {
      await deleteExpiredSignIns(control, new Date(now()))
      await deleteEndedSessions(control, new Date(now() - endedDaysKept * dayMs))
    },
    close: () => magicLinks.idle(),
  }
}
