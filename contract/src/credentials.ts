/**
 * API keys: a prefix for the kind, 30 random base62 characters, and a base62 CRC-32 of everything before it,
 * so that a mistyped key, or a false find of a leak scanner, is recognised without asking the server.
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
/** 30 base62 characters have 178 bits: enough to store a plain SHA-256. */
const bodyLength = 30
const checksumLength = 6

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc >>> 0
})

/** CRC-32 (IEEE) of ASCII text, as in zlib; implemented here because edge run times have no zlib. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (let at = 0; at < text.length; at++) {
    crc = (crcTable[(crc ^ text.charCodeAt(at)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

function keyChecksum(text: string): string {
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

const siteTokenPrefix = 'st_'

/** A site token is public in the page source, so it identifies a site and only allows sending events. */
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

/** The kind of a well-formed key, or null: a cheap check before any look-up. */
export function readKeyKind(key: string): KeyKind | null {
  const match = keyPattern.exec(key)
  if (!match) return null
  const [, prefix, body, checksum] = match
  if (body === undefined || keyChecksum(body) !== checksum) return null
  return keyKindNames.find((kind) => keyKinds[kind].prefix === prefix) ?? null
}

export const environments = ['production', 'staging', 'development'] as const
export type Environment = (typeof environments)[number]

/** One scope per module and kind of access. `*` means all. */
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

/** Roles of a member in a workspace, from least to most. */
export const roles = ['viewer', 'analyst', 'admin', 'owner'] as const
export type Role = (typeof roles)[number]

/**
 * The least role that has a scope; higher roles have it too. A viewer reads reports, events and contracts. An
 * analyst also changes what analysis is based on. An admin also controls access: sites, keys, members. A
 * scope that only owners have concerns the workspace as a whole.
 */
export const leastRoles: Readonly<Record<Exclude<Scope, '*'>, Role>> = {
  'sites:read': 'viewer',
  'sites:write': 'admin',
  'keys:read': 'admin',
  'keys:write': 'admin',
  'members:read': 'viewer',
  'members:write': 'admin',
  'audit:read': 'owner',
  // No person sends events; but admins must be able to grant this to keys.
  'events:send': 'admin',
  'events:read': 'viewer',
  'registry:read': 'viewer',
  'registry:write': 'analyst',
  'analytics:read': 'viewer',
  'analytics:write': 'analyst',
  // Reading people reveals what identifies them.
  'identity:read': 'analyst',
  'identity:write': 'analyst',
  // Deliveries of vendors contain people and what they paid.
  'webhooks:read': 'analyst',
  'webhooks:write': 'admin',
  'consent:read': 'analyst',
  'consent:write': 'analyst',
  // Exports or erases everything about a person.
  'privacy:read': 'admin',
  'privacy:write': 'admin',
  'attribution:read': 'viewer',
  'attribution:write': 'analyst',
  'health:read': 'viewer',
  'health:write': 'analyst',
  // Exports or imports a whole workspace.
  'workspace:read': 'owner',
  'workspace:write': 'owner',
}

/** Every scope of a role, so that people are authorised by the same rule as keys. */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: scopesOf('viewer'),
  analyst: scopesOf('analyst'),
  admin: scopesOf('admin'),
  owner: ['*'],
}

function scopesOf(role: Role): readonly Scope[] {
  return scopes.filter((scope) => scope !== '*' && roles.indexOf(leastRoles[scope]) <= roles.indexOf(role))
}
