import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits: nobody guesses one, so that a plain SHA-256 is the right store. */
export function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
