import { timingSafeEqual } from 'node:crypto'
import { isId } from '../../platform/clock.ts'
import type { Vault } from '../../platform/secrets/vault.ts'
import type { Control } from '../../store/control.ts'
import { type RecipientRow, selectRecipientsById } from './recipient-store.ts'

type Recipient = Pick<RecipientRow, 'workspace_id' | 'id'>

/** Links by which recipients unsubscribe. Their secret is derived from our key, so that none is stored. */
export type UnsubscribeLinks = {
  tokenOf: (recipient: Recipient) => string
  urlOf: (recipient: Recipient) => string
  /** Null for a link that was never made here, or whose recipient is gone. */
  find: (token: string) => Promise<RecipientRow | null>
}

type Options = { control: Control; vault: Pick<Vault, 'sign'>; publicUrl: () => string }

/** Copies of a workspace on one installation have the same ids. */
const copiesMax = 100

export function createUnsubscribeLinks({ control, vault, publicUrl }: Options): UnsubscribeLinks {
  const secretOf = ({ workspace_id, id }: Recipient) => vault.sign(`${workspace_id} ${id}`, 'unsubscribe')
  const tokenOf = (recipient: Recipient) => `${recipient.id}.${secretOf(recipient)}`
  return {
    tokenOf,
    urlOf: (recipient) => `${publicUrl()}/unsubscribe/${tokenOf(recipient)}`,
    async find(token) {
      const [id = '', secret = '', ...rest] = token.split('.')
      if (rest.length > 0 || !isId('dgr', id)) return null
      const rows = await selectRecipientsById(control, id, copiesMax)
      return rows.find((row) => isSame(secretOf(row), secret)) ?? null
    },
  }
}

function isSame(expected: string, given: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(given)]
  return one.length === other.length && timingSafeEqual(one, other)
}
