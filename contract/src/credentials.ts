/**
 * API keys: a prefix that tells the kind, 30 random base62 characters, and a base62 CRC-32 of everything before
 * it, so that a typo, or a leak scanner's find, can be told apart from a key without asking the server.
 */
export const keyKinds = {
  public: { prefix: 'pk_live_', browserSafe: true },
  secret: { prefix: 'sk_live_', browserSafe: false },
  live: { prefix: 'svc_sk_live_', browserSafe: false },
  test: { prefix: 'svc_sk_test_', browserSafe: false },
} as const

export type KeyKind = keyof typeof keyKinds
export const keyKindNames = ['public', 'secret', 'live', 'test'] as const satisfies readonly KeyKind[]

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** 30 base62 characters carry 178 bits: enough that a plain SHA-256 is the right store. */
const bodyLength = 30
const checksumLength = 6

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc >>> 0
})

/** CRC-32 (IEEE) of ASCII text, as in zlib; written out because edge run times have no zlib. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc = (crcTable[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

export function keyChecksum(text: string): string {
  let rest = crc32(text)
  let digits = ''
  while (digits.length < checksumLength) {
    digits = alphabet.charAt(rest % 62) + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/** `random` gives uniform bytes; those above 247 are skipped so that every character is equally likely. */
export function makeKey(kind: KeyKind, random: (count: number) => Uint8Array): string {
  return withChecksum(keyKinds[kind].prefix, random)
}

export const siteTokenPrefix = 'st_'

/** A site token stands in page source, so it identifies a site and grants nothing but sending events. */
export function makeSiteToken(random: (count: number) => Uint8Array): string {
  return withChecksum(siteTokenPrefix, random)
}

function withChecksum(prefix: string, random: (count: number) => Uint8Array): string {
  let body = ''
  while (body.length < bodyLength) {
    for (const byte of random(bodyLength)) {
      if (byte < 248 && body.length < bodyLength) body += alphabet.charAt(byte % 62)
    }
  }
  return prefix + body + keyChecksum(body)
}

const keyPattern = /^(pk_live_|sk_live_|svc_sk_live_|svc_sk_test_)([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/

/** The kind of a well-formed key, or null: a cheap answer before any look-up. */
export function readKeyKind(key: string): KeyKind | null {
  const match = keyPattern.exec(key)
  if (!match) return null
  const [, prefix, body, checksum] = match
  if (body === undefined || keyChecksum(body) !== checksum) return null
  return keyKindNames.find((kind) => keyKinds[kind].prefix === prefix) ?? null
}

export const environments = ['production', 'staging', 'development'] as const
export type Environment = (typeof environments)[number]

/** One scope a room and kind of access. `*` stands for all. */
export const scopes = [
  '*',
  'sites:read',
  'sites:write',
  'keys:read',
  'keys:write',
  'members:read',
  'members:write',
  'audit:read',
  'events:send',
  'events:read',
  'registry:read',
  'registry:write',
  'analytics:read',
  'analytics:write',
  'identity:read',
  'identity:write',
  'webhooks:read',
  'webhooks:write',
  'consent:read',
  'consent:write',
  'privacy:read',
  'privacy:write',
  'attribution:read',
  'attribution:write',
  'health:read',
  'health:write',
  'workspace:read',
  'workspace:write',
] as const
export type Scope = (typeof scopes)[number]

/** What a member of a workspace may do there, from least to most. */
export const roles = ['viewer', 'analyst', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/**
 * The least role that has a scope; whoever has more has it too. A viewer reads reports, events and contracts. An
 * analyst also changes what analysis is made of. An admin also decides who and what gets in: sites, keys, members.
 * A scope that only owners have is about the workspace as a whole.
 */
export const leastRoles: Readonly<Record<Exclude<Scope, '*'>, Role>> = {
  'sites:read': 'viewer',
  'sites:write': 'admin',
  'keys:read': 'admin',
  'keys:write': 'admin',
  'members:read': 'viewer',
  'members:write': 'admin',
  'audit:read': 'owner',
  // No person sends events; but who mints keys must be able to give this away.
  'events:send': 'admin',
  'events:read': 'viewer',
  'registry:read': 'viewer',
  'registry:write': 'analyst',
  'analytics:read': 'viewer',
  'analytics:write': 'analyst',
  // Whoever reads people sees what identifies them.
  'identity:read': 'analyst',
  'identity:write': 'analyst',
  // What vendors deliver names people and what they paid.
  'webhooks:read': 'analyst',
  'webhooks:write': 'admin',
  'consent:read': 'analyst',
  'consent:write': 'analyst',
  // What is handed out or taken away here is everything about somebody.
  'privacy:read': 'admin',
  'privacy:write': 'admin',
  'attribution:read': 'viewer',
  'attribution:write': 'analyst',
  'health:read': 'viewer',
  'health:write': 'analyst',
  // Everything that a workspace holds, taken out or put in.
  'workspace:read': 'owner',
  'workspace:write': 'owner',
}

/** Every scope that a role has, so that a person is let in by the same rule as a key. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: scopesOf('viewer'),
  analyst: scopesOf('analyst'),
  admin: scopesOf('admin'),
  owner: ['*'],
}

function scopesOf(role: Role): readonly Scope[] {
  return scopes.filter((scope) => scope !== '*' && roles.indexOf(leastRoles[scope]) <= roles.indexOf(role))
}
