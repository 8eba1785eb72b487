/** As wide as code. */
const lineMax = 110

/** JSON in which whatever fits into a line stands in one, so that a long file can be read and its changes too. */
export function compactJson(value: unknown, indent = ''): string {
  const line = JSON.stringify(value)
  const isLeaf = value === null || typeof value !== 'object'
  if (isLeaf || indent.length + line.length <= lineMax) return isLeaf ? line : spaced(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => compactJson(each, inner))
    : Object.entries(value)
        .filter(([, each]) => each !== undefined)
        .map(([key, each]) => `${JSON.stringify(key)}: ${compactJson(each, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`
}

function spaced(value: unknown): string {
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  const parts = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}
