/** As JSON a control character or half a pair takes six times its place, and a terminal may act on it. */
const unprintable = /[\p{Cc}\p{Cs}]/gu

/** The beginning of a text that a sender wrote, as it may be shown in an answer or a log. */
export function cut(text: string, charactersMax: number): string {
  const short = text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text
  return short.replace(unprintable, '\ufffd')
}
