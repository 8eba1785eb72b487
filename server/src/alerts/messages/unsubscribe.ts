import { isRecord } from '@assay/contract'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { AlertPlace } from '../store.ts'

type Unsubscription = AlertPlace & { email: string }

/** Links of mails by which one recipient leaves one alert. They hold all they need, sealed, so none is stored. */
export type UnsubscribeLinks = {
  urlOf: (one: Unsubscription) => string
  /** Null for what was not made here. */
  read: (token: string) => Unsubscription | null
}

export const unsubscribePath = '/api/v1/alerts/unsubscribe/:token'
const about = 'unsubscribe from alert'
/** An address and two ids, sealed, are shorter. */
const tokenCharactersMax = 1_000

export function createUnsubscribeLinks(vault: Vault, publicUrl: () => string): UnsubscribeLinks {
  return {
    urlOf({ workspace_id, id, email }) {
      const sealed = vault.seal(JSON.stringify({ workspace_id, id, email }), about)
      const token = Buffer.from(sealed).toString('base64url')
      return publicUrl() + unsubscribePath.replace(':token', token)
    },
    read(token) {
      if (token.length > tokenCharactersMax) return null
      const text = vault.unseal(Buffer.from(token, 'base64url').toString('utf8'), about)
      const value: unknown = text === null ? null : JSON.parse(text)
      if (!isRecord(value)) return null
      const { workspace_id, id, email } = value
      return { workspace_id: String(workspace_id), id: String(id), email: String(email) }
    },
  }
}
