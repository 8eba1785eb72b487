/** The texts in a value that anyone may have written, such as a part of an address: what is no text is left out. */
export function textList(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}
