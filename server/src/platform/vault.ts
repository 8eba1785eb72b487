import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import type { Control } from '../store/control.ts'
import { sharedSecret } from '../store/installation.ts'

/** Keeps secrets that we have to be able to read again, such as those that vendors sign with. */
export type Vault = {
  /** `about` is bound to it: a sealed text does not open in another place than the one it was made for. */
  seal: (text: string, about: string) => string
  /** Null when it was sealed with another key or for another place, or was changed. */
  unseal: (sealed: string, about: string) => string | null
}

export type VaultOptions = { dataDir: string; encryptionKey: string | undefined }

/**
 * The key comes from the setting; else from a file in the data directory, so that a copy of the control store alone
 * opens nothing; else, where several nodes share a Postgres server and so a file would not do, from that store.
 */
export async function openVault(control: Control, options: VaultOptions): Promise<Vault> {
  const { dataDir, encryptionKey } = options
  const secret =
    encryptionKey ??
    (control.shared ? await sharedSecret(control, 'vault') : readKeyFile(`${dataDir}/vault.key`))
  return createVault(secret)
}

const version = 'v1'
/** As AES-GCM wants it: 96 bits, never used twice with one key, which at random takes billions of secrets. */
const nonceBytes = 12
const tagBytes = 16

export function createVault(secret: string): Vault {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'assay vault', 32))
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
  }
}

/** Made whole under another name first, so that nobody ever reads half a key. */
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
