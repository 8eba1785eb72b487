/** English throughout: a reader's own way of writing numbers would not fit the words around them. */
export const numberLocale = 'en-GB'

const whole = new Intl.NumberFormat(numberLocale)
const percent = new Intl.NumberFormat(numberLocale, { style: 'percent', maximumFractionDigits: 1 })

/** `21,882` */
export const formatCount = (count: number): string => whole.format(count)

/** Below half a tenth of a percent. */
const leastShown = 0.0005

/** `5.2%`; what is more than nothing never reads as nothing. */
export const formatShare = (share: number): string =>
  share > 0 && share < leastShown ? '<0.1%' : percent.format(share)
