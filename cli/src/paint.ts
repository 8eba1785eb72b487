const codes = { red: 31, green: 32, yellow: 33, grey: 90, bold: 1 } as const
type Colour = keyof typeof codes
export type Paint = (colour: Colour, text: string) => string

/** Colours on a terminal that supports them, plain text elsewhere. */
export function painter(hasColour: boolean): Paint {
  return (colour, text) => (hasColour ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text)
}

/** NO_COLOR and FORCE_COLOR as in other tools, see no-color.org. */
export function wantsColour(
  environment: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if ((environment.NO_COLOR ?? '') !== '') return false
  if ((environment.FORCE_COLOR ?? '0') !== '0') return true
  return isTerminal && environment.TERM !== 'dumb'
}
