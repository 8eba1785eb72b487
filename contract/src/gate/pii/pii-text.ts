import type { SecretKind } from './pii-keys.ts'

/** RFC 5321: 64 characters before the @ and 255 after it. */
const localCharactersMax = 64
const domainCharactersMax = 255

/** A text with more is not a text, and hiding an address behind them harms only the sender. */
const atSignsMax = 256

/** Mailboxes of an organisation, not of a person; they are in links and footers of every site. */
const roleMailboxes: ReadonlySet<string> = new Set(
  `abuse admin billing careers contact customerservice donotreply git hello help hr info jobs legal mail marketing
  media newsletter no-reply noreply notifications office orders postmaster press privacy sales security service
  support team webmaster`
    .trim()
    .split(/\s+/),
)

/** File extensions that are not top-level domains: `logo@2x.png` is an image. */
const fileEndings: ReadonlySet<string> = new Set(
  `png jpg jpeg gif svg webp avif ico js mjs cjs jsx ts tsx css scss json html htm map woff woff2 ttf mp4 webm pdf
  xml txt php`
    .trim()
    .split(/\s+/),
)

/** Whether a text contains an e-mail address. Reads outwards from each @, so that its time is linear. */
export function hasEmail(text: string, isStrict: boolean): boolean {
  let seen = 0
  for (let at = text.indexOf('@'); at >= 0 && seen < atSignsMax; at = text.indexOf('@', at + 1)) {
    seen += 1
    const local = localPart(text, at)
    if (local === '') continue
    if (!isMailDomain(domainPart(text, at))) continue
    if (isStrict || !roleMailboxes.has(local.toLowerCase())) return true
  }
  return false
}

function localPart(text: string, at: number): string {
  let start = at
  while (start > 0 && at - start < localCharactersMax && isLocalUnit(text.charCodeAt(start - 1))) start -= 1
  return text.slice(start, at).replace(/^[.'-]{1,64}/, '')
}

function domainPart(text: string, at: number): string {
  let end = at + 1
  while (end < text.length && end - at <= domainCharactersMax && isDomainUnit(text.charCodeAt(end))) end += 1
  while (end > at + 1 && (text.charAt(end - 1) === '.' || text.charAt(end - 1) === '-')) end -= 1
  return text.slice(at + 1, end)
}

function isMailDomain(domain: string): boolean {
  const labels = domain.split('.')
  const top = (labels.at(-1) ?? '').toLowerCase()
  if (labels.length < 2 || labels.includes('') || fileEndings.has(top)) return false
  // `name@1.0.0-rc.next` is a package and its version.
  if (/^v?\d+\.\d+\./.test(domain)) return false
  return top.length >= 2 && /^(?:xn--[a-z0-9-]{1,59}|[a-z\u0080-\uffff]{2,63})$/.test(top)
}

function isAlphanumeric(unit: number): boolean {
  return (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit > 127
}

/** Letters, digits and . _ % + - ' */
function isLocalUnit(unit: number): boolean {
  return (
    isAlphanumeric(unit) ||
    unit === 46 ||
    unit === 95 ||
    unit === 37 ||
    unit === 43 ||
    unit === 45 ||
    unit === 39
  )
}

function isDomainUnit(unit: number): boolean {
  return isAlphanumeric(unit) || unit === 46 || unit === 45
}

/**
 * Token formats by their published prefixes. Every repeat is bounded, so that a text of nothing but prefixes
 * costs at most its length times that bound.
 */
const tokenForms: readonly RegExp[] = [
  /(?:^|[^A-Za-z0-9])(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{10,64}/,
  /(?:^|[^A-Za-z0-9])whsec_[A-Za-z0-9+/=]{16,64}/,
  /(?:^|[^A-Za-z0-9])sk-(?:[a-z]{2,8}-)?[A-Za-z0-9_-]{20,64}/,
  /(?:^|[^A-Za-z0-9])gh[opusr]_[A-Za-z0-9]{20,64}/,
  /(?:^|[^A-Za-z0-9])github_pat_[A-Za-z0-9_]{20,64}/,
  /(?:^|[^A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/,
  /(?:^|[^A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/,
  /(?:^|[^A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,512}\.eyJ[A-Za-z0-9_-]{8,512}/,
  /(?:^|[^A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10,64}/,
  /(?:^|[^A-Za-z0-9])glpat-[A-Za-z0-9_-]{16,64}/,
  /(?:^|[^A-Za-z0-9])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}/,
  /(?:^|[^A-Za-z0-9])npm_[A-Za-z0-9]{30,64}/,
  /(?:^|[^A-Za-z0-9])pypi-[A-Za-z0-9_-]{30,64}/,
  /(?:^|[^A-Za-z0-9])shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/,
  /(?:^|[^A-Za-z0-9])dop_v1_[a-f0-9]{32,64}/,
  /(?:^|[^A-Za-z0-9])hf_[A-Za-z0-9]{30,64}/,
  /-----BEGIN (?:[A-Z]{1,16} ){0,3}PRIVATE KEY-----/,
  /(?:^|[^A-Za-z0-9])[Bb]earer [A-Za-z0-9._~+/-]{20,64}/,
  /(?:^|[^A-Za-z0-9])[Bb]asic [A-Za-z0-9+/]{12,64}={1,2}/,
]

/** The prefixes in one expression, since most long words have none of them. */
const tokenBeginnings = new RegExp(
  [
    '[sr]k[_-]|gh[opusr]_|github_pat|AKIA|ASIA|AIza|eyJ|xox[abeprs]-|glpat-|SG\\.|npm_|shp[a-z]{2}_|dop_v|hf_|pypi-',
    'whsec_|PRIVATE KEY|earer |asic ',
  ].join('|'),
)

export function hasToken(text: string): boolean {
  return tokenBeginnings.test(text) && tokenForms.some((form) => form.test(text))
}

const passwordParameter = /[?&;#](?:password|passwd|pwd|passphrase|client_secret|secret)=[^&#\s]{4}/i
const tokenParameter = /[?&;#](?:(?:access_|refresh_|id_|auth_|reset_|api_)?token|api_?key)=[^&#\s]{16}/i

export function hasSecretParameter(text: string): boolean {
  return passwordParameter.test(text) || tokenParameter.test(text)
}

/** scheme://user:password@host */
export function hasPasswordInAddress(text: string): boolean {
  return /:\/\/[^\s/:@?#]{1,64}:[^\s/@?#]{1,64}@/.test(text)
}

const maskedValue = /^(?:[*xX•.#-]+|\[?<?(?:redacted|masked|filtered|hidden|removed|secret)>?\]?)$/i
const describingWords: ReadonlySet<string> = new Set(
  `null none undefined true false yes no ok set unset empty missing invalid valid expired changed reset weak medium
  fair good strong password bearer basic email google apple sso`
    .trim()
    .split(/\s+/),
)

/** In a property named like a secret most texts are that secret; a mask or a word about it is not. */
export function isSecretUnderKey(kind: SecretKind, value: string): boolean {
  if (kind === 'cvv') return /^\d{3,4}$/.test(value)
  if (value.length > 8192 || maskedValue.test(value) || describingWords.has(value.toLowerCase())) return false
  if (kind === 'password') return value.length >= 4
  return /^(?:[A-Za-z]{5,6} )?[^\s]{16,8192}$/.test(value) && /\d/.test(value)
}

const ipv4 = /(?:^|[^\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)/
const ipv6Forms = [
  '(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}',
  '(?:[0-9A-Fa-f]{1,4}:){1,6}(?::[0-9A-Fa-f]{1,4}){1,6}',
]
const ipv6 = new RegExp(`(?:^|[^A-Za-z0-9:])(?:${ipv6Forms.join('|')})(?![A-Za-z0-9:])`)

export function hasIpAddress(text: string): boolean {
  return ipv4.test(text) || ipv6.test(text)
}
