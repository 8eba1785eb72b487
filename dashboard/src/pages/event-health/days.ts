/** The event health report covers at most a month. */
export const dayChoices = [1, 7, 14, 31] as const
const daysUsual = 7

export function healthDays(parameters: URLSearchParams): number {
  const asked = Number(parameters.get('days'))
  return dayChoices.find((days) => days === asked) ?? daysUsual
}
