/** A formula over named metrics: + - * / and parentheses. A part that is null, and a division by zero, make it null. */
export type Formula =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'negative'; of: Formula }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: Formula; right: Formula }

type FormulaReading = { ok: true; formula: Formula } | { ok: false; problem: string }

const token = /\s*(?:(\d+(?:\.\d+)?)|([A-Za-z][A-Za-z0-9_]*)|([-+*/()]))/y

type Token = { kind: 'number' | 'name' | 'sign'; text: string }

/** Its length bounds how deep it can be. */
export function parseFormula(text: string): FormulaReading {
  const tokens = tokensOf(text)
  if (typeof tokens === 'string') return { ok: false, problem: tokens }
  let at = 0
  const take = (signs: string): string | null => {
    const next = tokens[at]
    if (next?.kind !== 'sign' || !signs.includes(next.text)) return null
    at += 1
    return next.text
  }
  const chain = (signs: string, part: () => Formula): Formula => {
    let left = part()
    for (let op = take(signs); op !== null; op = take(signs)) {
      // boundary: `take` returns one of the signs it was given.
      left = { kind: 'binary', op: op as '+' | '-' | '*' | '/', left, right: part() }
    }
    return left
  }
  const sum = (): Formula => chain('+-', product)
  const product = (): Formula => chain('*/', factor)
  const factor = (): Formula => {
    if (take('-') !== null) return { kind: 'negative', of: factor() }
    if (take('(') !== null) {
      const inner = sum()
      if (take(')') === null) throw new FormulaProblem('has a parenthesis that is not closed')
      return inner
    }
    const next = tokens[at]
    if (next === undefined) throw new FormulaProblem('ends too early')
    if (next.kind === 'sign') throw new FormulaProblem(`has an unexpected ${next.text}`)
    at += 1
    return next.kind === 'number'
      ? { kind: 'number', value: Number(next.text) }
      : { kind: 'name', name: next.text }
  }
  try {
    const formula = sum()
    const rest = tokens[at]
    return rest === undefined
      ? { ok: true, formula }
      : { ok: false, problem: `has an unexpected ${rest.text}` }
  } catch (cause) {
    if (cause instanceof FormulaProblem) return { ok: false, problem: cause.message }
    throw cause
  }
}

class FormulaProblem extends Error {}

function tokensOf(text: string): Token[] | string {
  const tokens: Token[] = []
  const end = text.trimEnd().length
  token.lastIndex = 0
  while (token.lastIndex < end) {
    const from = token.lastIndex
    const match = token.exec(text)
    if (match === null) return `has an unexpected ${JSON.stringify(text.slice(from).trim().slice(0, 1))}`
    const [, number, name, sign = ''] = match
    tokens.push(
      number !== undefined
        ? { kind: 'number', text: number }
        : name !== undefined
          ? { kind: 'name', text: name }
          : { kind: 'sign', text: sign },
    )
  }
  return tokens
}

/** Names in a formula, each once. */
export function namesIn(formula: Formula): readonly string[] {
  const names = new Set<string>()
  const walk = (node: Formula): void => {
    if (node.kind === 'name') names.add(node.name)
    if (node.kind === 'negative') walk(node.of)
    if (node.kind === 'binary') {
      walk(node.left)
      walk(node.right)
    }
  }
  walk(formula)
  return [...names]
}

export function evaluateFormula(formula: Formula, figureOf: (name: string) => number | null): number | null {
  if (formula.kind === 'number') return formula.value
  if (formula.kind === 'name') return figureOf(formula.name)
  if (formula.kind === 'negative') {
    const value = evaluateFormula(formula.of, figureOf)
    return value === null ? null : -value
  }
  const left = evaluateFormula(formula.left, figureOf)
  const right = evaluateFormula(formula.right, figureOf)
  if (left === null || right === null) return null
  const result = compute(formula.op, left, right)
  return Number.isFinite(result) ? result : null
}

function compute(op: '+' | '-' | '*' | '/', left: number, right: number): number {
  if (op === '+') return left + right
  if (op === '-') return left - right
  return op === '*' ? left * right : left / right
}
