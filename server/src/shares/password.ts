import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** OWASP's parameters for scrypt with 16 MB: a guess takes some 50 ms of a core. */
const cost = { N: 16_384, r: 8, p: 5 } as const
const keyBytes = 32
const saltBytes = 16

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // One spelling of accents, as a keyboard may send either.
    scrypt(password.normalize('NFC'), salt, keyBytes, cost, (error, key) =>
      error === null ? resolve(key) : reject(error),
    )
  })
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  return `scrypt.${salt.toString('base64url')}.${(await derive(password, salt)).toString('base64url')}`
}

export async function isPassword(password: string, stored: string): Promise<boolean> {
  const [, salt = '', hash = ''] = stored.split('.')
  const expected = Buffer.from(hash, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'))
  return expected.length === given.length && timingSafeEqual(expected, given)
}
