export type Encoding = 'identity' | 'gzip' | 'br'

/** What is refused outright (`br;q=0`) is not taken; finer wishes are not worth a third copy. */
export function encodingFor(accepted: string): Encoding {
  const offers = accepted.split(',').filter((offer) => !/;\s*q=0(?:\.0*)?\s*$/.test(offer))
  const names = offers.map((offer) => offer.split(';', 1)[0]?.trim().toLowerCase())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity'
}
