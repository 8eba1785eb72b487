import { createHash } from 'node:crypto'
import { nkeys } from '@nats-io/transport-node'

type KeyPair = ReturnType<typeof nkeys.createAccount>

const base64 = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token as NATS reads it: signed with Ed25519 by the key that it names. */
function tokenOf(issuer: KeyPair, subject: string, nats: object): string {
  const known = { iat: Math.floor(Date.now() / 1000), iss: issuer.getPublicKey(), sub: subject, nats }
  const jti = createHash('sha256').update(JSON.stringify(known)).digest('hex')
  const text = `${base64({ typ: 'JWT', alg: 'ed25519-nkey' })}.${base64({ ...known, jti })}`
  return `${text}.${Buffer.from(issuer.sign(Buffer.from(text))).toString('base64url')}`
}

const noLimits = { subs: -1, data: -1, payload: -1 }
const accountLimits = { ...noLimits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 }
const storageLimits = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

/** Lines for a server that trusts one operator, and the credentials of a user of its only account. */
export function makeCredentials(): { lines: string; credentials: string } {
  const [operator, system, account] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createAccount()]
  const user = nkeys.createUser()
  const [systemId, accountId] = [system.getPublicKey(), account.getPublicKey()]
  const ofAccount = (id: string, limits: object) =>
    tokenOf(operator, id, { type: 'account', version: 2, limits, default_permissions: {} })
  const trusted = { type: 'operator', version: 2, system_account: systemId }
  const token = tokenOf(account, user.getPublicKey(), { type: 'user', version: 2, ...noLimits })
  const preloaded = [
    `${accountId}: ${ofAccount(accountId, { ...accountLimits, ...storageLimits })}`,
    `${systemId}: ${ofAccount(systemId, accountLimits)}`,
  ]
  return {
    lines: `operator: ${tokenOf(operator, operator.getPublicKey(), trusted)}
system_account: ${systemId}
resolver: MEMORY
resolver_preload: { ${preloaded.join(', ')} }
`,
    credentials: `-----BEGIN NATS USER JWT-----
${token}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`,
  }
}
