import { invalidParameter, isEmail } from '@assay/contract'
import type { Vault } from '../../platform/secrets/vault.ts'

/** Each address once, whatever its case. */
export function readRecipients(given: readonly string[]): string[] {
  const addresses = given.map((text, index) => {
    const address = text.trim()
    if (isEmail(address) && !/\p{Cc}/u.test(address)) return address
    throw invalidParameter(`recipients[${index}]`, 'must be an email address')
  })
  const byCase = new Map(addresses.map((address) => [address.toLowerCase(), address]))
  return [...byCase.values()]
}

/** As the address of a destination: without a login in it. Where it leads is checked with every delivery. */
export function readSlackUrl(text: string | null): string | null {
  if (text === null) return null
  const url = URL.canParse(text) ? new URL(text) : null
  const isSound = url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isSound) return url.href
  throw invalidParameter(
    'slackUrl',
    'must be an address such as https://hooks.slack.com/…, without a login in it',
  )
}

/** Anyone who has the address can write into the channel, so it is stored as a secret. */
export type SlackSeal = {
  /** Empty for none. */
  seal: (alertId: string, url: string | null) => string
  /** Null for none, and for one that was sealed by another installation. */
  unseal: (alertId: string, sealed: string) => string | null
  masked: (alertId: string, sealed: string) => string | null
}

/** Enough to see which of two it is. */
const shownCharacters = 4
/** The secret of a shorter one would be shown. */
const pathCharactersMin = 16

export function createSlackSeal(vault: Vault): SlackSeal {
  const about = (alertId: string) => `alert ${alertId}`
  const unseal = (alertId: string, sealed: string) =>
    sealed === '' ? null : vault.unseal(sealed, about(alertId))
  return {
    seal: (alertId, url) => (url === null ? '' : vault.seal(url, about(alertId))),
    unseal,
    masked(alertId, sealed) {
      const text = unseal(alertId, sealed)
      if (text === null) return null
      const { origin, pathname } = new URL(text)
      return `${origin}/…${pathname.length < pathCharactersMin ? '' : pathname.slice(-shownCharacters)}`
    },
  }
}
