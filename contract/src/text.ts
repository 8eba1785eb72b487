/** As JSON a control character or a lone surrogate takes six characters, and a terminal may act on it. */
const unprintable = /[\p{Cc}\p{Cs}]/gu

/** The beginning of a sender's text, safe to show in an answer or a log. */
export function cut(text: string, charactersMax: number): string {
  const short = text.length > charactersMax ? `${text.slice(0, charactersMax - 1)}…` : text
  return short.replace(unprintable, '\ufffd')
}
