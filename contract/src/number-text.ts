/** English throughout: a reader's own way of writing numbers would not fit the words around them. */
export const numberLocale = 'en-GB'

const whole = new Intl.NumberFormat(numberLocale)
const percent = new Intl.NumberFormat(numberLocale, { style: 'percent', maximumFractionDigits: 1 })

/** `21,882` */
export const formatCount = (count: number): string => whole.format(count)

/** `5.2%` */
export const formatShare = (share: number): string => percent.format(share)
