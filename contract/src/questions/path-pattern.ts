/** Whether a path stands for several: `:word` for one part, `*` for anything. */
export function isPathPattern(text: string): boolean {
  return /(?:^|\/):[A-Za-z_]|\*/.test(text)
}
