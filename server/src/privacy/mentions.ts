import { isRecord } from '@assay/contract'

/** A text shorter than this is found in others by chance, so it counts only where it stands for somebody. */
export const plainCharactersMin = 6
const naming =
  /user|customer|person|anonymous|visitor|client|account|contact|member|buyer|email|phone|device/i

/** Whether a value somewhere in a JSON text is one of these, or a longer text holds one of them. */
export function mentions(text: string, values: readonly string[]): boolean {
  return holds(parsed(text), values, false)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function holds(found: unknown, values: readonly string[], isNamed: boolean): boolean {
  if (Array.isArray(found)) return found.some((one) => holds(one, values, isNamed))
  if (isRecord(found)) {
    return Object.entries(found).some(
      ([key, value]) => holds(value, values, isNamed || naming.test(key)) || isValue(key, values, false),
    )
  }
  return (typeof found === 'string' || typeof found === 'number') && isValue(String(found), values, isNamed)
}

function isValue(text: string, values: readonly string[], isNamed: boolean): boolean {
  const lower = text.toLowerCase()
  return values.some((value) => {
    const wanted = value.toLowerCase()
    return wanted.length >= plainCharactersMin ? lower.includes(wanted) : isNamed && lower === wanted
  })
}

/** As they may stand in a JSON text, with and without what has to be escaped there; in lower case. */
export function needlesOf(values: readonly string[]): string[] {
  const texts = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
  return [...new Set(texts.map((text) => text.toLowerCase()))]
}
