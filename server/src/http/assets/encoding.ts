type Encoding = 'identity' | 'gzip' | 'br'

/** An encoding that is refused (`br;q=0`) is not used; other weights are ignored. */
export function encodingFor(accepted: string): Encoding {
  const offers = accepted.split(',').filter((offer) => !/;\s*q=0(?:\.0*)?\s*$/.test(offer))
  const names = offers.map((offer) => offer.split(';', 1)[0]?.trim().toLowerCase())
  return names.includes('br') ? 'br' : names.includes('gzip') ? 'gzip' : 'identity'
}
