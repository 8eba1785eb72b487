/** What the name of a property says about its value. */
export type KeyHint = 'card' | 'phone' | 'email' | 'ssn' | 'tckn' | 'id' | 'none'
export type SecretKind = 'password' | 'token' | 'cvv'

const words: Readonly<Record<SecretKind, readonly string[]>> = {
  password: [
    'password',
    'passwd',
    'pwd',
    'passphrase',
    'user password',
    'new password',
    'old password',
    'current password',
    'confirm password',
    'password confirmation',
    'secret',
    'client secret',
    'secret key',
    'private key',
    'api secret',
  ],
  token: [
    'token',
    'access token',
    'refresh token',
    'id token',
    'auth token',
    'session token',
    'bearer token',
    'reset token',
    'api key',
    'api token',
    'authorization',
  ],
  cvv: ['cvv', 'cvc', 'cvv2', 'cvc2', 'card cvv', 'card cvc', 'security code', 'card security code'],
}

/** `access token` as it is written in code: access_token, access-token, accessToken, AccessToken, accesstoken. */
function spellings(phrase: string): string[] {
  const parts = phrase.split(' ')
  const pascal = parts.map((part) => part.charAt(0).toUpperCase() + part.slice(1))
  const camel = [parts[0] ?? '', ...pascal.slice(1)]
  return [
    ...[' ', '_', '-', ''].map((glue) => parts.join(glue)),
    pascal.join(''),
    pascal.join(' '),
    camel.join(''),
  ]
}

const secretKeys: ReadonlyMap<string, SecretKind> = new Map(
  (['password', 'token', 'cvv'] as const).flatMap((kind) =>
    words[kind].flatMap(spellings).map((name): [string, SecretKind] => [name, kind]),
  ),
)

/** A property named like a secret contains one, whatever its value looks like. */
export function secretKeyKind(key: string): SecretKind | undefined {
  return secretKeys.get(key)
}

// The word must end the name: `phone_model` and `card_type` say nothing about a number.
const numbered = '[_\\-. ]?(?:number|num|no|nr)?s?$'
const cardKey = new RegExp(`(?:card|(?:^|[_\\-. ])(?:pan|cc)|creditcard|debitcard)${numbered}`, 'i')
const phoneKey = new RegExp(
  `(?:phone|(?:^|[_\\-. ])(?:tel|gsm|mobile|cell|fax|msisdn|whatsapp)|[a-z](?:Tel|Gsm|Mobile|Cell|Fax))${numbered}`,
  'i',
)
const emailKey = /e[_\-. ]?mails?(?:[_\-. ]?(?:address|addr))?$/i
const ssnKey = /(?:^|[_\-. ])ssn$|social[_\-. ]?security/i
const tcknKey =
  /tckn|kimlik|(?:^|[_\-. ])tc(?:[_\-. ]?(?:no|id))?$|national[_\-. ]?id|identity[_\-. ]?number|citizen/i
// Long numbers are normal here, and one in ten of them passes Luhn's check by chance.
const idWords =
  'id|ids|sku|ean|gtin|upc|isbn|barcode|imei|number|no|ref|reference|ts|time|timestamp|hash|serial|tracking|version|build'
const idKey = new RegExp(`(?:^|[_\\-. ])(?:${idWords})$|[a-z](?:Id|Ids|Number|Ref|Sku|Ts|Time)$`)

export function keyHintOf(key: string): KeyHint {
  if (cardKey.test(key)) return 'card'
  if (phoneKey.test(key)) return 'phone'
  if (emailKey.test(key)) return 'email'
  if (ssnKey.test(key)) return 'ssn'
  if (tcknKey.test(key)) return 'tckn'
  return idKey.test(key) ? 'id' : 'none'
}
