import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import type { Control } from '../../store/control.ts'
import { sharedSecret } from '../../store/installation.ts'

/** Encrypts secrets that we have to read again, such as those that vendors sign with. */
export type Vault = {
  /** `about` is authenticated: an encrypted text cannot be decrypted in another place than its own. */
  seal: (text: string, about: string) => string
  /** Null when it was encrypted with another key or for another place, or was modified. */
  unseal: (sealed: string, about: string) => string | null
  /** The same for the same text and purpose, and only with our key: a secret of which nothing is stored. */
  sign: (text: string, about: string) => string
}

export type VaultOptions = { dataDir: string; encryptionKey: string | undefined }

/**
 * The key comes from the setting; otherwise from a file in the data directory, so that a copy of the control
 * store alone reveals nothing; otherwise, if several nodes share a Postgres server and a file would not do,
 * from that store.
 */
export async function openVault(control: Control, options: VaultOptions): Promise<Vault> {
  const { dataDir, encryptionKey } = options
  const secret =
    encryptionKey ??
    (control.shared ? await sharedSecret(control, 'vault') : readKeyFile(`${dataDir}/vault.key`))
  return createVault(secret)
}

const version = 'v1'
/**
 * 96 bits, as AES-GCM requires, never used twice with one key; random collisions take billions of secrets.
 */
const nonceBytes = 12
const tagBytes = 16

export function createVault(secret: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'assay vault', 32))
  const signingKey = Buffer.from(hkdfSync('sha256', secret, '', 'assay vault signatures', 32))
  return {
    seal(text, about) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(about))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${version}.${sealed.toString('base64')}`
    },
    unseal(sealed, about) {
      const bytes = Buffer.from(sealed.slice(version.length + 1), 'base64')
      if (!sealed.startsWith(`${version}.`) || bytes.length < nonceBytes + tagBytes) return null
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
        .setAAD(Buffer.from(about))
        .setAuthTag(bytes.subarray(-tagBytes))
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
    sign: (text, about) =>
      createHmac('sha256', signingKey)
        .update(JSON.stringify([about, text]))
        .digest('base64url'),
  }
}

/** Written completely under another name first, so that no reader sees half a key. */
function readKeyFile(file: string): string {
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600 })
    try {
      linkSync(draft, file)
    } finally {
      unlinkSync(draft)
    }
  }
  return readFileSync(file, 'utf8').trim()
}
