/**
 * A light reading of TypeScript for `tidy.ts`: the compiler in use has no API to ask, and the rules need only
 * to know what is syntax, what is text and what is comment.
 */

/** One file in three views of equal length, so that an index means the same place in each. */
export type SourceText = {
  path: string
  text: string
  /** Syntax only: comments, regular expressions and the contents of strings are blank. */
  code: string
  /** Comments only. */
  comments: string
  /** Contents of string literals; a template gives one entry for each stretch between its holes. */
  strings: readonly { start: number; value: string }[]
}

type FunctionSpan = { start: number; end: number }

const syntax = 0
const quoted = 1
const comment = 2

const tokens = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?|[`{}/]/g
const templateStretch = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y
const regularExpression = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
/** What may stand before a regular expression; after anything else a slash divides. */
const beforeExpression =
  /(?:^|[(,=:[!&|?{;+\-*%>~^]|\b(?:return|typeof|case|in|of|void|throw|else|await|yield))\s*$/

export function readSource(path: string, text: string): SourceText {
  const kinds = new Uint8Array(text.length)
  const strings: { start: number; value: string }[] = []
  /** For each template that is open: how many braces are open inside its current hole. */
  const holes: number[] = []

  const mark = (from: number, to: number, kind: number) => kinds.fill(kind, from, to)
  const readTemplate = (from: number): number => {
    const value = matchAt(templateStretch, text, from)
    const tail = value.endsWith('${') ? 2 : value.endsWith('`') ? 1 : 0
    strings.push({ start: from, value: value.slice(0, value.length - tail) })
    mark(from, from + value.length - tail, quoted)
    if (tail === 2) holes.push(0)
    return from + value.length
  }
  /** Marks the token and returns where reading continues. */
  const readToken = (token: string, at: number): number => {
    const end = at + token.length
    const open = holes.at(-1)
    if (token.startsWith('//') || token.startsWith('/*')) mark(at, end, comment)
    else if (token === '`') return readTemplate(end)
    else if (token === '{' && open !== undefined) holes[holes.length - 1] = open + 1
    else if (token === '}' && open === 0) {
      holes.pop()
      return readTemplate(end)
    } else if (token === '}' && open !== undefined) holes[holes.length - 1] = open - 1
    else if (token === '/' && startsExpression(text, kinds, at)) {
      const literal = matchAt(regularExpression, text, at)
      mark(at, at + literal.length, quoted)
      return at + Math.max(literal.length, 1)
    } else if (token.startsWith("'") || token.startsWith('"')) {
      strings.push({ start: at + 1, value: token.slice(1, -1) })
      mark(at + 1, end - 1, quoted)
    }
    return end
  }

  tokens.lastIndex = 0
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    tokens.lastIndex = readToken(match[0], match.index)
  }
  return { path, text, code: view(text, kinds, syntax), comments: view(text, kinds, comment), strings }
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] ?? ''
}

function startsExpression(text: string, kinds: Uint8Array, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (kinds[before] === comment || /\s/.test(text.charAt(before)))) before -= 1
  // The longest keyword that may come before has six letters.
  return before < 0 || beforeExpression.test(text.slice(Math.max(0, before - 7), before + 1))
}

function view(text: string, kinds: Uint8Array, kind: number): string {
  let result = ''
  let from = 0
  for (let at = 1; at <= text.length; at += 1) {
    if (at < text.length && kinds[at] === kinds[from]) continue
    const stretch = text.slice(from, at)
    result += kinds[from] === kind ? stretch : stretch.replace(/[^\n]/g, ' ')
    from = at
  }
  return result
}

export function lineAt(text: string, index: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < index; at = text.indexOf('\n', at + 1)) line += 1
  return line
}

/** For a line that begins by closing something: the line that opened it, by their common indentation. */
export function openingLine(lines: readonly string[], line: number): number {
  const [, indent = '', closer] = /^(\s*)([)\]}])?/.exec(lines[line - 1] ?? '') ?? []
  if (closer === undefined) return line
  const isOpening = (text: string) => text.startsWith(indent) && /^[^\s)\]}]/.test(text.slice(indent.length))
  return lines.slice(0, line - 1).findLastIndex(isOpening) + 1
}

const functionHead = /\bfunction\b\s*\*?\s*[\w$]*\s*(?:<[^(]*>)?\s*\(/g
/** A method: a name at the start of a line, a parameter list, then a body. */
const methodHead = /^[ \t]+(?:(?:async|static|get|set|override) )*[#*]?([\w$]+)\s*(?:<[^(){}]*>)?\(/gm
const controlWords = ['if', 'for', 'while', 'switch', 'function']
const arrowHead = /=>\s*\{/g
/** A group of tests is a heading, not a function. */
const groupOfTests = /^\s*describe\b/

export function findFunctions({ code }: SourceText): FunctionSpan[] {
  const heads = [...code.matchAll(functionHead), ...code.matchAll(methodHead)]
  const declared = heads.flatMap((head) => {
    if (controlWords.includes(head[1] ?? '')) return []
    const parameters = head.index + head[0].length - 1
    const body = findBody(code, closingOf(code, parameters) + 1)
    return body === -1 ? [] : [{ start: head.index + head[0].search(/\S/), end: closingOf(code, body) }]
  })
  const lines = code.split('\n')
  const arrows = [...code.matchAll(arrowHead)].flatMap((head) => {
    const first = lines[openingLine(lines, lineAt(code, head.index)) - 1] ?? ''
    const body = head.index + head[0].length - 1
    return groupOfTests.test(first) ? [] : [{ start: head.index, end: closingOf(code, body) }]
  })
  return [...declared, ...arrows]
}

/** Where the body opens after a parameter list, or -1 without one. A return type may hold braces itself. */
function findBody(code: string, from: number): number {
  let at = from + (/^\s*/.exec(code.slice(from))?.[0].length ?? 0)
  if (code[at] === '{') return at
  if (code[at] !== ':') return -1
  for (at += 1; at < code.length; at += 1) {
    const typeGoesOn = /(?:[:|&<,([]|=>)\s*$/.test(code.slice(Math.max(0, at - 200), at))
    if (code[at] === '{' && !typeGoesOn) return at
    if (code[at] === '{') at = closingOf(code, at)
    if (code[at] === '\n' && !typeGoesOn && !/^\s*[|&{]/.test(code.slice(at, at + 200))) return -1
  }
  return -1
}

const closers: Readonly<Record<string, string>> = { '(': ')', '{': '}' }

function closingOf(code: string, open: number): number {
  const opener = code[open] ?? ''
  const closer = closers[opener]
  let depth = 0
  for (let at = open; at < code.length; at += 1) {
    if (code[at] === opener) depth += 1
    if (code[at] === closer) depth -= 1
    if (depth === 0) return at
  }
  return code.length - 1
}
