export type CompiledPattern =
  | { ok: true; matches: (text: string) => boolean }
  | { ok: false; problem: string }

export function compilePattern(pattern: string): CompiledPattern {
  try {
    const expression = new RegExp(pattern)
    return { ok: true, matches: (text) => text.length <= 256 && expression.test(text) }
  } catch {
    return { ok: false, problem: 'it is no regular expression' }
  }
}
