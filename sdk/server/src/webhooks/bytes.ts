/** Bytes that Web Crypto accepts: not backed by shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function utf8(text: string): Bytes {
  return encoder.encode(text)
}

/** Null when the bytes are not UTF-8. */
export function readUtf8(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

/** The parts one after another; texts as UTF-8. */
export function concat(...parts: readonly (Uint8Array | string)[]): Bytes {
  const pieces = parts.map((part) => (typeof part === 'string' ? utf8(part) : part))
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Null when the text is not hex. Upper case names the same bytes. */
export function readHex(text: string): Bytes | null {
  if (text === '' || text.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(text)) return null
  return Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(at * 2, at * 2 + 2), 16),
  )
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Null when the text is not base64. Padding is optional, and the URL alphabet is accepted. */
export function readBase64(text: string): Bytes | null {
  const plain = text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/]+$/.test(plain) || plain.length % 4 === 1) return null
  return Uint8Array.from(atob(plain), (character) => character.charCodeAt(0))
}

/**
 * Takes constant time, so that a signature cannot be found byte by byte. The length of a signature is not
 * secret.
 */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  let difference = 0
  for (let at = 0; at < a.length; at++) difference |= (a[at] ?? 0) ^ (b[at] ?? 0)
  return difference === 0
}
