/** A log entry for a terminal: one line, and the stack below it. */
export function logText(line: string): string {
  const { time, level, component, message, kind, stack, ...fields }: Record<string, unknown> =
    JSON.parse(line)
  const at = String(time).slice(0, secondsLength).replace('T', ' ')
  const head = `${at} ${String(level).toUpperCase().padEnd(levelLength)} ${component}: ${message}`
  const shown = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const below = typeof stack === 'string' ? stack.split('\n').map((one) => `\n    ${printable(one)}`) : []
  return [head, ...shown].map(printable).join(' ') + below.join('')
}

const secondsLength = 'YYYY-MM-DDThh:mm:ss'.length
const levelLength = 'ERROR'.length

/** Input from outside must neither start a new line nor control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
