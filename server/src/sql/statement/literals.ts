/** Characters that mean nothing to any reader of SQL within quotes. Braces would be those of a parameter. */
const plain = /[A-Za-z0-9 _.,:;+*=<>!?@#$%&()|~^[\]/\u00a0-\ud7ff\ue000-\ufffd-]/u

/** A text as SQL; everything but plain characters is written as its bytes. */
export function textSql(value: string): string {
  return `'${[...value.toWellFormed()].map((one) => (plain.test(one) ? one : bytesSql(one))).join('')}'`
}

function bytesSql(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
}

/** A name between quotes. Those that are read have neither quotes nor backslashes (tokens.ts). */
export function nameSql(name: string): string {
  if (/[`\\]/.test(name)) throw new Error('a name with a quote cannot be printed')
  return `\`${name}\``
}
