import type { Digest } from '@assay/contract'
import { text } from '../../text.ts'

export const hourWords = (hour: number): string => `${String(hour).padStart(2, '0')}:00`

export function whenWords({ frequency, weekday, hour }: Digest): string {
  const words = text.digests
  if (frequency === 'monthly') return words.monthly(hourWords(hour))
  return words.weekly(words.weekdays[weekday - 1] ?? '', hourWords(hour))
}
