/** The 18 standard events of the catalog. A test compares this list with it. */
export const standardNames = [
  '$pageview',
  '$session_start',
  '$session_end',
  '$identify',
  '$signup',
  '$login',
  '$invite',
  '$purchase',
  '$subscribe',
  '$upgrade',
  '$refund',
  '$search',
  '$click',
  '$form_submit',
  '$download',
  '$share',
  '$feedback',
  '$churn',
] as const

export function isStandardName(name: string): boolean {
  return standardNames.some((standard) => standard === name)
}
