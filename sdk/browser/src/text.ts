/** E-mail addresses and long numbers that are part of a text by mistake; reports do not need them. */
const personal = /[^\s@]+@[^\s@]+\.[^\s@]+|\+?\d[\d ().-]{5,}\d/g

export function scrub(text: string): string {
  return text.replace(personal, '…').replace(/\s+/g, ' ').trim()
}
