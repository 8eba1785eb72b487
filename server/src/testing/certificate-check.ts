import { compactVerify, importJWK } from 'jose'
import { Value } from 'typebox/value'
import { Certificate, certificateType } from '../privacy/erasure/certificate.ts'

type PublicKey = { kty: string; crv: string; kid: string; x: string }

/** Needs only the certificate and the published keys; throws if it was not signed by one of them. */
export async function verifyCertificate(jws: string, keys: readonly PublicKey[]): Promise<Certificate> {
  const { payload, protectedHeader } = await compactVerify(jws, async ({ kid }) => {
    const key = keys.find((one) => one.kid === kid)
    if (key === undefined) throw new Error('the certificate was signed by a key that is not among these')
    return importJWK({ kty: key.kty, crv: key.crv, x: key.x }, 'EdDSA')
  })
  if (protectedHeader.typ !== certificateType)
    throw new Error('this is not a certificate of a forget request')
  return Value.Parse(Certificate, JSON.parse(Buffer.from(payload).toString()))
}
