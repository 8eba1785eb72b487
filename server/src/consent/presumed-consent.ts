import {
  type ConsentCategory,
  type ConsentChoice,
  type ConsentRegime,
  consentFor,
  nothingStated,
} from '@assay/contract'
import type { Sql } from '../store/control.ts'
import { selectStandingRecords } from './presumed-consent-store.ts'

type PresumedChoice = { personId: string; choice: ConsentChoice }

/** Rows read at a time. */
const rowsPerRead = 5_000

/** The consent of people without a record. */
export function presumedConsent(regime: ConsentRegime | null, category: ConsentCategory): ConsentChoice {
  return consentFor(category, { regime, records: [], ofEvent: nothingStated, gpc: false })
}

/** The effective consent of everyone with a record, by the latest record or else by the regime. */
export async function* consentOfEverybody(
  sql: Sql,
  workspaceId: string,
  regime: ConsentRegime | null,
  category: ConsentCategory,
  atMs: number,
): AsyncGenerator<readonly PresumedChoice[]> {
  const at = new Date(atMs)
  for (let after = ''; ; ) {
    const rows = await selectStandingRecords(sql, workspaceId, at, after, rowsPerRead)
    yield rows.map(({ person_id: personId, id, stated, gpc, expires_at: expiresAt, regime: ofRecord }) => {
      const isExpired = expiresAt !== null && expiresAt <= at
      const records = isExpired ? [] : [{ recordId: id, stated, gpc }]
      const facts = { regime: regime ?? ofRecord, records, ofEvent: nothingStated, gpc: false }
      return { personId, choice: consentFor(category, facts) }
    })
    after = rows.at(-1)?.person_id ?? ''
    if (rows.length < rowsPerRead) return
  }
}
