/** Luhn's check digit (ISO/IEC 7812-1). */
function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - index) - 48
    const doubled = index % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Issuer ranges with the lengths in use. */
const brandForms = {
  visa: '4\\d{15}',
  mastercard: '5[1-5]\\d{14}|2(?:22[1-9]|2[3-9]\\d|[3-6]\\d\\d|7[01]\\d|720)\\d{12}',
  americanExpress: '3[47]\\d{13}',
  diners: '3(?:0[0-5]|[689]\\d)\\d{11}',
  discover: '6(?:011|5\\d\\d|4[4-9]\\d)\\d{12}',
  jcb: '35(?:2[89]|[3-8]\\d)\\d{12}',
  unionPay: '62\\d{14,17}',
  mir: '220[0-4]\\d{12}',
  troy: '9792\\d{12}',
}
const brands = new RegExp(`^(?:${Object.values(brandForms).join('|')})$`)

/** Also ranges out of use or shared with many other numbers: old Visa, old JCB, Maestro. */
const looseBrands = /^(?:4\d{12}|4\d{18}|35\d{14}|(?:2131|1800)\d{11}|(?:50|5[6-9]|6\d)\d{10,17})$/

function isRepeated(digits: string): boolean {
  return digits === digits.charAt(0).repeat(digits.length)
}

/** A number that is the whole value: only ranges in use, since order numbers and barcodes look alike. */
export function isCardNumber(digits: string): boolean {
  return brands.test(digits) && passesLuhn(digits) && !isRepeated(digits)
}

/** A number in a sentence, in a property named like a card, or written in groups of four. */
export function isLooseCardNumber(digits: string): boolean {
  return (brands.test(digits) || looseBrands.test(digits)) && passesLuhn(digits) && !isRepeated(digits)
}

/**
 * Published test numbers of payment providers. In a property named like `order_id` a card-like number is
 * allowed, but these reveal during development that a card reaches the wrong property, before a real one
 * does.
 */
export const publishedTestCards: ReadonlySet<string> = new Set([
  '4111111111111111',
  '4242424242424242',
  '4012888888881881',
  '4000056655665556',
  '5555555555554444',
  '5105105105105100',
  '2223003122003222',
  '378282246310005',
  '371449635398431',
  '6011111111111117',
  '6011000990139424',
  '30569309025904',
  '38520000023237',
  '3530111333300000',
  '3566002020360505',
  '6200000000000005',
])
