export interface Word {
  text: string
  start: number
  end: number
  depth: number
}

const comments = /--[^\n]*|#[ !][^\n]*|\/\*[\s\S]*?\*\//
const quoted = /'(?:\\[\s\S]|''|[^'\\])*'|"(?:\\[\s\S]|[^"\\])*"|`(?:\\[\s\S]|[^`\\])*`/
const bracketsAndWords = /[()]|[A-Za-z_][A-Za-z0-9_]*/
// In this order: what stands in comments or in quotes means nothing here.
const tokens = new RegExp([comments, quoted, bracketsAndWords].map(({ source }) => source).join('|'), 'g')

/** Keywords and names of a statement in lower case, without what stands in quotes and comments. */
export function significantWords(sql: string): Word[] {
  const words: Word[] = []
  let depth = 0
  for (const match of sql.matchAll(tokens)) {
    const [text] = match
    if (text === '(') depth += 1
    else if (text === ')') depth -= 1
    else if (/^[A-Za-z_]/.test(text)) {
      words.push({ text: text.toLowerCase(), start: match.index, end: match.index + text.length, depth })
    }
  }
  return words
}
