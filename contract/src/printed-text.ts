/** Any value as a text. JSON has objects at which `String` throws, such as `{"toString":1}`. */
export function printedText(value: unknown): string {
  return typeof value === 'object' && value !== null ? Object.prototype.toString.call(value) : String(value)
}
