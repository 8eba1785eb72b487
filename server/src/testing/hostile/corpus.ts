/** A value that no caller should send, as the bytes of a JSON document and as a part of an address. */
export type HostileValue = {
  name: string
  /** A fragment of JSON as it is sent; text that no serializer would write, such as 1e400, is possible. */
  json: string
  /** The same for a path or a query, percent-encoded. */
  url: string
}

const unicodeEscape = (code: number) => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** C0, DEL and C1. */
const controlCodes = [...range(0x00, 0x1f), 0x7f, ...range(0x80, 0x9f)]

/** Texts that end a text early, or are read as something else by what stores or shows them. */
const texts: readonly string[] = [
  '',
  ' ',
  ' u ',
  'a\nb',
  'a\r\nset-cookie: a=b',
  // NUL as itself, as the six characters of its escape, and escaped again.
  '\0',
  'a\0b',
  '\\u0000',
  '\\\\u0000',
  '\\x00',
  '%00',
  'a\\',
  '\\"',
  // Half of a pair, both halves in the wrong order, and the six characters of an escape.
  '\ud800',
  '\udc00',
  'a\udfffb',
  '\udc00\ud800',
  '\\ud800',
  // Invisible, turning and combining.
  '\u202eu',
  '\u2066u\u2069',
  '\u200b\u200d\u2060',
  '\ufeffu',
  'e\u0301',
  `Z${'\u0301'.repeat(500)}`,
  '\ufdd0\ufffe\uffff',
  '\u{1fffe}\u{10ffff}',
  '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  '\u0130\u0131\u00df\ufb03',
  '\u2028\u2029\u0085',
  // Names of members that every object has.
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  // Statements, placeholders and paths.
  "'; DROP TABLE events; --",
  "' OR '1'='1",
  '" OR ""="',
  "\\'; SELECT sleep(3) --",
  "') UNION ALL SELECT * FROM system.users --",
  '{param:String}',
  '{ws:Identifier}',
  '$1',
  '?',
  '`id`',
  '$(id)',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  '%2e%2e%2f',
  'file:///etc/passwd',
  'a/b?c=d#e',
  '%s%n%x%d',
  `\${7*7}{{7*7}}`,
  '=1+1',
  '+1',
  '@SUM(1)',
  '\t=1',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  // Texts that look like another type.
  'NaN',
  'Infinity',
  '-Infinity',
  'null',
  'true',
  '\\N',
  '-1',
  '1e400',
  '0x10',
  // Times outside of every range, and some that do not exist.
  '0000-01-01T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '1899-12-31T23:59:59Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00.000Z',
  '+275761-01-01T00:00:00.000Z',
  '2262-04-12T00:00:00Z',
  '2026-02-30',
  '2026-13-01T25:61:61Z',
  '2026-01-01T00:00:00+99:99',
  '0001-01-01',
  '9999-12-31',
  // Patterns, addresses, zones, money.
  '(a+)+$',
  '[',
  `${'a'.repeat(60)}!`,
  'http://169.254.169.254/latest',
  'http://[::1]:1/',
  'http://user:password@127.0.0.1:1/',
  'https://x.example:99999/',
  '//x.example',
  'Mars/Olympus',
  'XXX',
  // Just over the lengths that are usual maxima.
  'x'.repeat(201),
  'x'.repeat(256),
  'x'.repeat(513),
  '\u20ac'.repeat(2_049),
]

/** What a JSON parser makes something surprising of, or nothing. */
const fragments: Readonly<Record<string, string>> = {
  zero: '0',
  'minus zero': '-0',
  'minus one': '-1',
  'a fraction': '0.1',
  'over every double': '1e400',
  'under every double': '-1e400',
  'the smallest double': '5e-324',
  'the largest double': '1.7976931348623157e308',
  'over the integers of a double': '9007199254740993',
  '400 digits': '9'.repeat(400),
  'over 32 bits': '4294967296',
  'over 64 bits': '18446744073709551616',
  '1e18': '1e18',
  'a time after the last': '8640000000000001',
  'a time before the first': '-8640000000000001',
  'the year 9999 in ms': '253402300799999',
  null: 'null',
  true: 'true',
  false: 'false',
  'an empty list': '[]',
  'an empty object': '{}',
  'a list of null': '[null]',
  'a list of lists': '[[[]]]',
  'a mixed list': '[1,"a",null,{},[],true]',
  'a prototype': '{"__proto__":{"polluted":1}}',
  'a prototype of a constructor': '{"constructor":{"prototype":{"polluted":1}}}',
  'methods of every object': '{"toString":1,"valueOf":1,"hasOwnProperty":1,"then":1,"toJSON":1,"length":1e9}',
  'a key twice': '{"a":1,"a":{"b":2}}',
  'an empty key': '{"":1}',
  'a key of NUL': '{"\\u0000":1}',
  'a key of half a pair': '{"\\ud800":1}',
  'a key that is an escape': '{"\\\\u0000":"\\\\u0000"}',
  'an operator': '{"$ne":1}',
}

/** As UTF-8 with half a pair replaced, as a browser would. */
function inAddress(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16)}`,
  )
}

function ofText(text: string): HostileValue {
  const isLong = text.length > 40
  const name = isLong ? `${JSON.stringify(text.slice(0, 20))}… (${text.length})` : JSON.stringify(text)
  return { name, json: JSON.stringify(text), url: inAddress(text) }
}

function ofFragment([name, json]: [string, string]): HostileValue {
  return { name, json, url: inAddress(json) }
}

export const controls: readonly HostileValue[] = controlCodes.map((code) => {
  const character = String.fromCharCode(code)
  return { ...ofText(`c${character}c`), name: `control character ${unicodeEscape(code)}` }
})

/** Small enough to be put into every field of every route. */
export const smallValues: readonly HostileValue[] = [
  ...texts.map(ofText),
  { ...ofText(String.fromCharCode(...controlCodes)), name: 'every control character' },
  ...Object.entries(fragments).map(ofFragment),
]

/** Bytes that are no UTF-8, and escapes that are none; only an address can hold them. */
export const brokenAddresses: readonly string[] = [
  '%',
  '%zz',
  '%ff',
  '%c0%80',
  '%ed%a0%80',
  '%f8%88%80%80%80',
  '%u0000',
  '..%2f..%2f',
  '.',
  '..',
  '%2e%2e',
  ';a=b',
  '&&&===',
  '[]=1&[]=2',
  'a'.repeat(301),
  'a'.repeat(9_000),
]

const repeated = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => write(i))

const depth = 10_000
const textOf = (length: number) => JSON.stringify('x'.repeat(length))

/** Each takes memory or stack rather than cunning; made once, since together they are 12 MB. */
export const largeValues: readonly HostileValue[] = [
  { name: 'a text of 40 KB', json: textOf(40_000), url: 'x'.repeat(4_000) },
  { name: 'a text of 1 MB', json: textOf(1_000_000), url: 'x'.repeat(20_000) },
  { name: 'a text just under 4 MB', json: textOf(4_000_000), url: 'x' },
  { name: 'a text over 4 MB', json: textOf(4_300_000), url: 'x' },
  { name: '10,000 keys', json: `{${repeated(10_000, (index) => `"k${index}":${index}`)}}`, url: 'x' },
  { name: '300 keys', json: `{${repeated(300, (index) => `"k${index}":"v"`)}}`, url: 'x' },
  { name: 'lists 10,000 deep', json: '['.repeat(depth) + ']'.repeat(depth), url: '['.repeat(1_000) },
  { name: 'objects 10,000 deep', json: `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`, url: 'x' },
  { name: 'lists 200 deep', json: '['.repeat(200) + ']'.repeat(200), url: 'x' },
  { name: '100,000 zeros', json: `[${repeated(100_000, () => '0')}]`, url: 'x' },
  { name: '2,000 objects', json: `[${repeated(2_000, (index) => `{"event":"e${index}"}`)}]`, url: 'x' },
  { name: 'a key of 30 KB', json: `{"${'k'.repeat(30_000)}":1}`, url: 'x' },
  { name: 'numbers of 1 MB', json: '1'.repeat(1_000_000), url: '1'.repeat(2_000) },
  { name: 'escapes of 600 KB', json: `"${'\\u0000'.repeat(100_000)}"`, url: '%00'.repeat(1_000) },
]

/** Names of members: what an object must not mistake for its own, or for a path. */
export const hostileKeys: readonly HostileValue[] = texts
  .map(ofText)
  .concat(ofText('k'.repeat(300)), ofText('a.b.c'), ofText('a[0]'), ofText('$'), ofText('$.x'))
