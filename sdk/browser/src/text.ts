/** Addresses and long numbers that stand in a text by mistake: whoever reads reports need not know them. */
const personal = /[^\s@]+@[^\s@]+\.[^\s@]+|\+?\d[\d ().-]{5,}\d/g

export function scrub(text: string): string {
  return text.replace(personal, '…').replace(/\s+/g, ' ').trim()
}
