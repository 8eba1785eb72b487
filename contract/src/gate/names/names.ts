/** Long enough for any name a person would type; events with longer names are quarantined. */
const nameCharactersMax = 128

const snakeCase = /^[a-z0-9_]+$/

export function isSnakeCase(name: string): boolean {
  return name.length <= nameCharactersMax && snakeCase.test(name)
}

/** `Order Completed`, `order-completed` and `orderCompleted` are one name: `order_completed`. */
export function toSnakeCase(name: string): string {
  if (name.length > nameCharactersMax || snakeCase.test(name)) return name
  return name
    .trim()
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()
}
