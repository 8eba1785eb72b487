/**
 * Distinguishes generated words from words that a person wrote. A word is a run of letters, digits, `_` and
 * `-`. The position of its digits and what comes before them decide; in doubt a word is kept.
 */

/** What ids are called before their `_` or `-`: words of payment providers, shops and servers. */
const prefixes =
  'acct|account|app|batch|card|cart|ch|cs|cus|cust|customer|doc|evt?|event|file|grp|group|ids?|in|inv|invoice|item|' +
  'job|key|lead|li|msg|message|no|nr|obj|ord|order|org|pay|payment|pi|pk|pm|po|price|prod|product|ps|py|re|ref|req|' +
  'request|rk|run|sess|session|seti|sid|site|si|sk|sku|src|sub|tok|token|tr|trace|trx|txn?|uid|user|usr|visit|' +
  'visitor|wh|whsec|ws'

/** Names of things that have digits in them, wherever in a word they stand. */
const technical =
  'utf8mb4|utf(?:8|16|32)|base(?:32|36|58|62|64)|sha(?:1|3|224|256|384|512)|md5sum|u?int(?:8|16|32|64)|' +
  'float(?:16|32|64)|oauth[12]|http[123]|ipv[46]|web3|win(?:32|64)|ed25519|x25519|x509|secp256k1|' +
  'aes(?:128|192|256)|[rhe]s(?:256|384|512)|h26[45]|i18n|l10n|a11y|html5|css3|m3u8|log4j|neo4j'

/** The same, of so few letters that they say something only between separators. */
const short = 'p2p|e2e|b2[bc]|w3c|i2c|k8s|2fa|3ds2?|u2f|md5|v[0-9]{1,2}'

export const units =
  'ms|s|sec|secs|min|mins|m|h|hrs?|d|px|r?em|pt|v[hw]|[kmgt]?i?b|bytes|k|x|st|nd|rd|th|k?hz|fps|dpi|deg'

const digit = /[0-9]/
const number = /^(?:[0-9_-]+|[0-9]+[eE][0-9]+)$/
/** As many digits as a measured number has; an id that ends like a unit has more. */
const measured = `[0-9]{1,15}(?:${units})`
const measure = new RegExp(`^${measured}$`, 'i')
const anyTechnical = new RegExp(technical, 'gi')
const shortBetween = new RegExp(`(?<=^|[_-])(?:${short}|${measured})(?=[_-]|$)`, 'gi')
/** `E11000`, `TS2345`. */
const plainCode = /^[A-Z]{1,8}[0-9]{1,6}$/
/** `ORA-00942`, `iso-8859-1`. */
const separatedCode = /^(?:ora|err|error|e|sql|pls|tns|cve|rfc|iso|utf|sha|aes)(?:[_-][0-9]{1,5})+$/i

const uuid = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/i
const prefixed = new RegExp(
  `^(?:${prefixes})(?:[_-](?:live|test|prod|dev|eu|us))?(?:[_-][A-Za-z]*[0-9]|[0-9]{3})`,
  'i',
)
const prefixedName = new RegExp(`^[A-Za-z]+[_-](?:${short}|${technical})$`, 'i')
/** One in twelve of the customers' ids that Stripe gives has no digit: fourteen of 62 characters. */
const prefixedLetters = new RegExp(`^(?:${prefixes})_[A-Za-z]{10,}$`, 'i')
/** Seven characters are what a build or a commit is commonly cut to. */
const hexadecimal = /(?:^|[_-])(?:[0-9a-f]{7,}|[0-9A-F]{7,})(?:[_-]|$)/
/** `html2canvas`: a digit that is spoken as a word. */
const spoken = /^[A-Za-z]{3,}[24][a-z]{3,}$/

/** What stands for a word in a title: the word itself, or `<n>` for what changes from one occurrence to the next. */
export function foldWord(word: string): string {
  if (isIdentifier(word)) return '<n>'
  if (!digit.test(word)) return word
  if (measure.test(word)) return word.replace(/^[0-9]+/, '<n>')
  if (plainCode.test(word) || separatedCode.test(word) || isName(word)) return word
  // Up to two digits number things by hand: h1, fetchUser2. More are a counter.
  return word.replace(/[0-9]{3,}/g, '<n>')
}

/** Whether it is a number, an id, a hash or a token, as a whole. */
export function isIdentifier(word: string): boolean {
  if (!digit.test(word)) return prefixedLetters.test(word) && isJumbledCase(word.slice(word.indexOf('_')))
  if (number.test(word) || uuid.test(word)) return true
  if (separatedCode.test(word) || prefixedName.test(word)) return false
  if (prefixed.test(word)) return true
  if (hexadecimal.test(word)) return !anyTechnicalOnly(word)
  return !isName(word) && (isMixed(word) || isJumbled(word))
}

/** All its digits belong to names of things. */
function isName(word: string): boolean {
  return !digit.test(word.replace(anyTechnical, '').replace(shortBetween, ''))
}

function anyTechnicalOnly(word: string): boolean {
  return word.replace(anyTechnical, '') === ''
}

/** Letters between digits, or behind them where no name has them. */
function isMixed(word: string): boolean {
  return (
    /[0-9][A-Za-z]+[0-9]|(?:^|[_-])[0-9]+[A-Za-z]/.test(word) ||
    (/[A-Za-z][0-9]+[a-z]/.test(word) && !spoken.test(word)) ||
    /^[A-Z0-9]{7,}[0-9][A-Z0-9]*[A-Z]$/.test(word)
  )
}

/**
 * Small letters, capitals and digits in no order. In a name of eleven characters or more they take turns at most at
 * every second one (`getHTMLElementById2` has 8 runs in 19); in a random one at two of three.
 */
function isJumbled(word: string): boolean {
  if (!/[a-z]/.test(word) || !/[A-Z]/.test(word)) return false
  const runs = word.match(/[a-z]+|[A-Z]+|[0-9]+/g) ?? []
  const numbers = runs.filter((run) => digit.test(run)).length
  const isLong = word.length >= 16
  const characters = word.replace(/[_-]/g, '').length
  const takesTurns =
    runs.length * 2 > characters && (isLong || (characters >= 11 && characters === word.length))
  return takesTurns || (isLong && numbers >= 2)
}

function isJumbledCase(letters: string): boolean {
  return /[A-Z][a-z]?[A-Z]/.test(letters) && /[a-z]/.test(letters)
}
