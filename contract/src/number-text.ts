/** English throughout: a reader's own way of writing numbers would not fit the words around them. */
export const numberLocale = 'en-GB'

const whole = new Intl.NumberFormat(numberLocale)
const tenths = { style: 'percent', minimumFractionDigits: 1, maximumFractionDigits: 1 } as const
const percent = new Intl.NumberFormat(numberLocale, tenths)

/** `21,882` */
export const formatCount = (count: number): string => whole.format(count)

/** Below half a tenth of a percent. */
const leastShown = 0.0005

/**
 * `5.2%` and `45.0%`, so that a column of them lines up. Only nothing reads as 0%, and only all as 100%.
 */
export function formatShare(share: number): string {
  if (share === 0 || share === 1) return share === 0 ? '0%' : '100%'
  if (share > 0 && share < leastShown) return '<0.1%'
  if (share < 1 && share >= 1 - leastShown) return '>99.9%'
  return percent.format(share)
}
