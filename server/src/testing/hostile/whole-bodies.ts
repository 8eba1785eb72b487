import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'

/** A body that is wrong as a whole: its bytes, its type or its packing. */
export type WholeBody = { name: string; bytes: Buffer; headers: Readonly<Record<string, string>> }

const json = { 'content-type': 'application/json' }
const packed = (encoding: string) => ({ ...json, 'content-encoding': encoding })

/** Far over what a request may unpack to. */
const bombBytes = 64 * 1024 * 1024
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

const bombs: readonly WholeBody[] = (() => {
  const spaces = Buffer.alloc(bombBytes, 0x20)
  const nested = gzipSync(gzipSync(spaces))
  return [
    { name: 'a gzip bomb', bytes: gzipSync(spaces), headers: packed('gzip') },
    { name: 'a gzip bomb within gzip', bytes: nested, headers: packed('gzip') },
    { name: 'a deflate bomb', bytes: deflateSync(spaces), headers: packed('deflate') },
    { name: 'a brotli bomb', bytes: brotliCompressSync(spaces, quality), headers: packed('br') },
  ]
})()

const utf16 = (text: string, isBig: boolean) => {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le')
  return isBig ? bytes.swap16() : bytes
}

const asJson = (name: string, bytes: Buffer | string): WholeBody => ({
  name,
  bytes: Buffer.from(bytes),
  headers: json,
})
const packedAs = (name: string, encoding: string, bytes: Buffer): WholeBody => ({
  name,
  bytes,
  headers: packed(encoding),
})

const fewCharacters = ['', ' ', 'null', '[]', '{}', '""', '0', 'true', 'NaN', 'undefined', '{', '}', '[[']
const otherSyntax = ["{'a':1}", '{a:1}', '{"a":1,}', '/**/{}', '{"a":01}', '{"a":+1}', '{"a":"\n"}']
const types = [
  '',
  'text/html',
  'application/xml',
  'multipart/form-data; boundary=x',
  'application/json; charset=utf-16',
  'application/x-www-form-urlencoded',
  'application/json;charset=\u00ff',
  'application/',
  'text/plain',
]
/** Bytes that no UTF-8 text has, an overlong NUL and half a pair among them. */
const noUtf8 = Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80])

/** Bodies of a few bytes, which say nothing or end too early. */
export const shortBodies: readonly WholeBody[] = [...fewCharacters, ...otherSyntax].map((text) =>
  asJson(`only ${JSON.stringify(text)}`, text),
)

/** Everything that can be wrong with bytes, made out of a body that is right. */
export function wholeBodies(valid: string): readonly WholeBody[] {
  const right = Buffer.from(valid)
  return [
    ...shortBodies,
    asJson('truncated', right.subarray(0, Math.max(1, right.length >> 1))),
    asJson('with a tail', Buffer.concat([right, Buffer.from('x')])),
    asJson('twice', Buffer.concat([right, right])),
    asJson('behind a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), right])),
    asJson('with bytes that are no UTF-8', Buffer.concat([Buffer.from('{"a":"'), noUtf8, Buffer.from('"}')])),
    asJson('UTF-16, little end first', utf16(valid, false)),
    asJson('UTF-16, big end first', utf16(valid, true)),
    asJson('NUL bytes', Buffer.alloc(1_000)),
    ...types.map((type) => ({ name: `typed ${type}`, bytes: right, headers: { 'content-type': type } })),
    ...packedBodies(right),
    ...bombs,
  ]
}

/** Packed wrongly, or in a way that is not expected. */
function packedBodies(right: Buffer): readonly WholeBody[] {
  const zipped = gzipSync(right)
  const broken = Buffer.from(zipped)
  broken[broken.length - 6] = (broken[broken.length - 6] ?? 0) ^ 0xff
  return [
    packedAs('called gzip, but plain', 'gzip', right),
    packedAs('called brotli, but plain', 'br', right),
    packedAs('called deflate, but raw', 'deflate', deflateRawSync(right)),
    packedAs('gzip, truncated', 'gzip', zipped.subarray(0, zipped.length >> 1)),
    packedAs('gzip with a wrong sum', 'gzip', broken),
    packedAs('gzip of two members', 'gzip', Buffer.concat([zipped, gzipSync(Buffer.from(' '))])),
    packedAs('gzip with a tail', 'gzip', Buffer.concat([zipped, Buffer.from('tail')])),
    packedAs('gzip twice', 'gzip, gzip', gzipSync(zipped)),
    packedAs('an unknown encoding', 'zstd', right),
    packedAs('an encoding that is no word', '\u00ff', right),
  ]
}
