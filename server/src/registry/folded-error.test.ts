import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldAgain, foldedErrorOf, foldMessage, foldStack } from './folded-error.ts'

const lower = 'abcdefghijklmnopqrstuvwxyz'
const upper = lower.toUpperCase()
const digits = '0123456789'
const textOf = (alphabet: string, minLength: number, maxLength = minLength) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength })
const digitRuns = (text: string) => text.match(/[0-9]+/g)?.length ?? 0
const hex = (length: number) => textOf(`${digits}abcdef`, length)

/** Each kind alone: for any variable part, the folded result must be the same. */
const kinds = {
  prefixed: fc
    .tuple(
      fc.constantFrom('pi', 'cus', 'ord', 'req', 'sess', 'usr', 'txn', 'INV', 'sk_live', 'evt'),
      fc.constantFrom('_', '-'),
      textOf(lower + upper + digits, 4, 24).filter((text) => digitRuns(text) > 0),
    )
    .map((parts) => parts.join('')),
  uuid: fc.tuple(fc.uuid(), fc.boolean()).map(([id, isUpper]) => (isUpper ? id.toUpperCase() : id)),
  ulid: fc.ulid(),
  nanoid: textOf(`${lower}${upper}${digits}_-`, 21).filter(
    (text) => digitRuns(text) > 1 && /[a-z]/.test(text) && /[A-Z]/.test(text),
  ),
  base62: textOf(lower + upper + digits, 16, 32).filter((text) => digitRuns(text) > 1),
  base32: textOf(`${lower}234567`, 16, 32).filter((text) => digitRuns(text) > 1),
  hexadecimal: textOf(`${digits}abcdef`, 7, 64).filter((text) => digitRuns(text) > 0),
  number: fc.oneof(fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String), fc.integer().map(String)),
  decimal: fc
    .tuple(fc.integer({ min: -9_999, max: 9_999 }), textOf(digits, 1, 6))
    .map((parts) => parts.join('.')),
  amount: fc
    .tuple(fc.constantFrom('$#', '€ #', '£#', '# €', '#₺'), fc.constantFrom('5', '19.90', '1,234.50', '0,99'))
    .map(([shape, amount]) => shape.replace('#', amount)),
  jwt: fc
    .tuple(textOf(lower + upper + digits, 8, 20), textOf(`${lower}${digits}_-`, 8, 20), textOf(upper, 0, 20))
    .map(([head, ...rest]) => [`eyJ${head}`, ...rest].join('.')),
  email: fc
    .tuple(
      textOf(`${lower}${digits}._+`, 1, 12),
      textOf(lower, 1, 12),
      fc.constantFrom('example', 'co.uk', 'de'),
    )
    .map(([name, host, top]) => `${name}@${host}.${top}`),
  isoTime: fc
    .tuple(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), fc.nat(3))
    .map(([date, shape]) => {
      const text = date.toISOString()
      return [text, text.replace(/\.\d+Z/, '+02:00'), text.slice(0, 10), text.slice(0, 19).replace('T', ' ')][
        shape
      ]
    })
    .map((text) => text ?? ''),
  dateText: fc
    .tuple(fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }), fc.boolean())
    .map(([date, isUtc]) => (isUtc ? date.toUTCString() : date.toString())),
  address: fc.tuple(fc.ipV4(), textOf(digits, 1, 4)).map(([ip, port]) => `${ip}:${port}`),
  address6: fc
    .tuple(fc.array(hex(4), { minLength: 1, maxLength: 5 }), fc.boolean())
    .map(([groups, isShort]) =>
      isShort
        ? `2001:db8::${groups.join(':')}`
        : ['2001', ...groups, ...'abcdefa'.slice(groups.length)].join(':'),
    ),
  quoted: fc
    .array(textOf(lower + digits, 1, 8), { minLength: 2, maxLength: 4 })
    .map((words) => `"${words.join(' ')}"`),
  url: fc
    .tuple(textOf(lower, 1, 10), fc.uuid(), textOf(lower + digits, 1, 12))
    .map(([host, id, query]) => `https://${host}.example:8080/api/orders/${id}?t=${query}`),
  chunk: fc
    .tuple(
      fc.nat(9_999),
      hex(8).filter((text) => digitRuns(text) > 0),
    )
    .map(([chunk, build]) => `https://cdn.example/static/js/${chunk}.${build}.chunk.js`),
} as const

/** What must not be folded, whatever it looks like. */
const names =
  'fetchUser2 h1 base64 utf8 utf-8 sha256 E11000 ERR_CONN_RESET ERR_HTTP2_PROTOCOL_ERROR ipv6 OAuth2 i18n a11y useI18n ' +
  'ES2015 Int32Array Float64Array Uint8Array WebGL2RenderingContext OffscreenCanvasRenderingContext2D mp4 s3 x509 md5 ' +
  'base64url TS2345 ORA-00942 P2002 E2BIG address_line_1 col-md-6 html2canvas log4j utf8mb4 convertUtf8ToUtf16 getS3Url ' +
  'Vector3D eu-west-1 iso-8859-1 user_v2 k8s user_name order_total session_expired payment_intent cart_shippingAddress ' +
  'file_sha256 AADSTS50011 html5 step2Form NS_ERROR_FAILURE getElementById handleSubmitOrderFormChange e2e ' +
  'getHTMLElementById2 user_address_line_1 TypeError customer window ECONNREFUSED undefined'
const plain = 'cannot read the cart of while loading properties was aborted payment is not a function'
const everyWord = `${names} ${plain}`.split(' ')

type Part = { word: string } | { kind: fc.Arbitrary<string> }
const part: fc.Arbitrary<Part> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...everyWord).map((word) => ({ word })) },
  { weight: 1, arbitrary: fc.constantFrom(...Object.values(kinds)).map((kind) => ({ kind })) },
)
/** Short enough for nothing to be cut off. */
const template = fc.array(part, { minLength: 1, maxLength: 5 })
const filled = (parts: readonly Part[]): fc.Arbitrary<string> =>
  fc
    .tuple(...parts.map((one) => ('word' in one ? fc.constant(one.word) : one.kind)))
    .map((all) => all.join(' '))
const wordsOf = (parts: readonly Part[]) =>
  parts.flatMap((one) => ('word' in one ? [one.word] : [])).join(' ')

const runs = { numRuns: 400 }

describe('what an error says', () => {
  test('is the same whatever stands for an id, a number, a time, an address or a text in it', () => {
    const fillings = template.chain((parts) => fc.tuple(filled(parts), filled(parts)))
    fc.assert(
      fc.property(fillings, ([one, other]) => {
        expect(foldMessage(one)).toBe(foldMessage(other))
      }),
      runs,
    )
  })

  test('differs where a word differs, and folded again it stays as it is', () => {
    const two = fc
      .tuple(template, template)
      .filter(([a, b]) => wordsOf(a) !== wordsOf(b))
      .chain(([a, b]) => fc.tuple(filled(a), filled(b)))
    fc.assert(
      fc.property(two, ([one, other]) => {
        const [title, otherTitle] = [foldMessage(one), foldMessage(other)]
        expect(title).not.toBe(otherTitle)
        expect(foldAgain({ title, culprit: '' }).title).toBe(title)
      }),
      runs,
    )
  })

  test.each(everyWord)('keeps %s', (word) => {
    expect(foldMessage(`Got ${word} here`)).toBe(`Got ${word} here`)
  })

  test.each([
    [
      "Uncaught TypeError: Cannot read properties of undefined (reading 'total')",
      "Cannot read properties of undefined (reading 'total')",
    ],
    ['Uncaught (in promise) TypeError: Failed to fetch', 'Failed to fetch'],
    // An id that ends like a unit is not a measure.
    ['No order 0000000000000000000000000K', 'No order <n>'],
    ['Took 3000ms', 'Took <n>ms'],
    [
      "undefined is not an object (evaluating 'cart.items')",
      "undefined is not an object (evaluating 'cart.items')",
    ],
    ["Can't find variable: gtag", "Can't find variable: gtag"],
    ['can\'t access property "x", y is undefined', 'can\'t access property "x", y is undefined'],
    [
      'Unexpected token \'<\', "<!DOCTYPE "... is not valid JSON',
      'Unexpected token \'<\', "<text>"... is not valid JSON',
    ],
    [
      'JSON.parse: unexpected character at line 1 column 1 of the JSON data',
      'JSON.parse: unexpected character at line <n> column <n> of the JSON data',
    ],
    [
      'Minified React error #418; visit https://react.dev/errors/418 for more',
      'Minified React error #418; visit /errors/<n> for more',
    ],
    [
      "Failed to execute 'appendChild' on 'Node': parameter 1 is not of type 'Node'.",
      "Failed to execute 'appendChild' on 'Node': parameter <n> is not of type 'Node'.",
    ],
    [
      'Loading chunk 12 failed.\n(error: https://cdn.example/js/12.8f3a9c1b.js)',
      'Loading chunk <n> failed. (error: /js/<n>.js)',
    ],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <n>'],
    [
      'E11000 duplicate key error index: email_1 dup key: { email: "joe@shop.example" }',
      'E11000 duplicate key error index: email_1 dup key: { email: "<email>" }',
    ],
    [
      'duplicate key value violates unique constraint "users_email_key"',
      'duplicate key value violates unique constraint "users_email_key"',
    ],
    ["Cannot find module '@stripe/stripe-js'", "Cannot find module '@stripe/stripe-js'"],
    ["No such payment_intent: 'pi_3MtwBwLkdIwHu7ix28a3tqPa'", "No such payment_intent: '<n>'"],
    ["No such customer: 'cus_NffrFeUfNVHib'", "No such customer: '<n>'"],
    [
      'Payment provider did not answer within 30000 ms (intent pi_b0y)',
      'Payment provider did not answer within <n> ms (intent <n>)',
    ],
    ['Request failed with status code 404', 'Request failed with status code 404'],
    ['timeout of 5000ms exceeded', 'timeout of <n>ms exceeded'],
    ['HTTP error! status: 503', 'HTTP error! status: 503'],
    [
      'GET https://shop.example/api/orders/8f3kd92?x=1 502 (Bad Gateway)',
      'GET /api/orders/<n> 502 (Bad Gateway)',
    ],
    ['order 404 is not there', 'order <n> is not there'],
    ['items 1, 2, 3 are not there', 'items <n> are not there'],
    ['', ''],
  ])('of %s is %s', (message, title) => {
    expect(foldMessage(message)).toBe(title)
  })

  test('that an earlier release folded in part comes to the same', () => {
    const again = (title: string) => foldAgain({ title, culprit: '' }).title
    expect(again('did not answer within <n> ms (intent pi_b<n>y)')).toBe(
      'did not answer within <n> ms (intent <n>)',
    )
    expect(again('did not answer within <n> ms (intent pi_<n>k<n>)')).toBe(
      'did not answer within <n> ms (intent <n>)',
    )
    expect(again('No session for <id> of tenant <n>')).toBe('No session for <n> of tenant <n>')
    expect(again('Expired at <n>-<n>-<n>T<n>Z')).toBe(foldMessage('Expired at 2026-11-15T10:20:30.123Z'))
  })

  test('is bounded in length and in time for any input', () => {
    for (const piece of [
      'a',
      '/',
      '"',
      '1-',
      'a.',
      'a@',
      "'a ",
      'Error: ',
      'x1',
      '1:',
      'a1_',
      '1a-',
      'A',
      '://',
      'eyJ.',
    ]) {
      const long = piece.repeat(100_000)
      const { title, culprit } = foldedErrorOf({
        name: 'error',
        properties: { message: long, stack: `${long}:1` },
      })
      expect(title.length).toBeLessThanOrEqual(200)
      expect(culprit.length).toBeLessThanOrEqual(300)
    }
    expect(foldedErrorOf({ name: 'click', properties: { message: 'Boom' } })).toEqual({
      title: '',
      culprit: '',
    })
  })
})

describe('where an error comes from', () => {
  const stackOf = (name: string, build: string, line: number, host: string) =>
    `Error: x\n    at ${name} (https://${host}.example/assets/app.${build}.chunk.js:${line}:7)\n    at https://${host}.example/_next/static/${build}${build}1a2b/vendor-${build}.js:1:${line}`

  test('is the same from build to build, and differs where a function does', () => {
    const build = hex(8).filter((text) => digitRuns(text) > 0)
    const one = fc.tuple(build, fc.integer({ min: 1, max: 99_999 }), textOf(lower, 1, 9))
    fc.assert(
      fc.property(one, one, (a, b) => {
        const culprit = foldStack(stackOf('submitOrder', ...a))
        expect(culprit).toBe('submitOrder  /assets/app.chunk.js < /_next/static/<n>/vendor.js')
        expect(foldStack(stackOf('submitOrder', ...b))).toBe(culprit)
        expect(foldStack(stackOf('openCart', ...b))).not.toBe(culprit)
        expect(foldAgain({ title: '', culprit }).culprit).toBe(culprit)
      }),
      { numRuns: 100 },
    )
  })

  test('is the same in Firefox and Safari', () => {
    expect(foldStack('submitOrder@https://shop.example/app.js:10:2\nt@https://shop.example/app.js:1:2')).toBe(
      'submitOrder /app.js < /app.js',
    )
  })
})
