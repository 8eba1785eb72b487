import { CompactSign } from 'jose'
import { type Static, Type } from 'typebox'
import type { SigningKey } from '../requests/signature.ts'

/** What was done for one erasure request. It names no one. */
export const Certificate = Type.Object({
  request_id: Type.String(),
  workspace_id: Type.String(),
  subject_request_id: Type.Union([Type.String(), Type.Null()]),
  mode: Type.String(),
  regime: Type.String(),
  received_at: Type.String(),
  due_at: Type.String(),
  completed_at: Type.String(),
  sla_met: Type.Boolean(),
  identifiers_suppressed: Type.Integer(),
  stores: Type.Array(
    Type.Object({
      store: Type.String(),
      method: Type.String(),
      rows: Type.Integer({ description: 'Found before' }),
      rows_left: Type.Integer({ description: 'Found when it was looked for again at the end' }),
    }),
  ),
})
export type Certificate = Static<typeof Certificate>

/** What a JWS of this kind is called, so that it is never taken for a token. */
export const certificateType = 'assay-forget-certificate'

export function signCertificate(key: SigningKey, certificate: Certificate): Promise<string> {
  return new CompactSign(Buffer.from(JSON.stringify(certificate)))
    .setProtectedHeader({ alg: 'EdDSA', kid: key.id, typ: certificateType })
    .sign(key.privateKey)
}
