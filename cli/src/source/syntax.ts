import { isRecord } from '@assay/contract'
import { type ParserPlugin, parse } from '@babel/parser'

/** A node of the syntax tree; its members depend on its type, and are read one by one. */
export type SyntaxNode = { type: string; loc?: unknown; [member: string]: unknown }

/** Casts such as `<T>value` are no JSX, and some code has types of Flow. */
const dialects: readonly ParserPlugin[][] = [['typescript', 'jsx'], ['typescript'], ['flow', 'jsx']]

/** The syntax tree of JavaScript or TypeScript; null if the text is neither. */
export function syntaxOf(text: string): SyntaxNode | null {
  for (const plugins of dialects) {
    try {
      const tree: unknown = parse(text, {
        sourceType: 'unambiguous',
        errorRecovery: true,
        allowReturnOutsideFunction: true,
        allowAwaitOutsideFunction: true,
        allowImportExportEverywhere: true,
        plugins: [...plugins, 'decorators-legacy'],
      })
      return isNode(tree) ? tree : null
    } catch (error) {
      // What this dialect cannot read another may; a file that none can read is read word by word. A range error:
      // generated code that nests deeper than the parser can follow.
      if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error
    }
  }
  return null
}

function isNode(value: unknown): value is SyntaxNode {
  return isRecord(value) && typeof value.type === 'string'
}

const besides = new Set([
  'leadingComments',
  'innerComments',
  'trailingComments',
  'comments',
  'tokens',
  'errors',
])

/** Every node of a tree. A stack of our own, since minified code nests deeper than calls may. */
export function* nodesOf(tree: SyntaxNode): Generator<SyntaxNode> {
  const waiting: SyntaxNode[] = [tree]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node
    for (const [member, value] of Object.entries(node)) {
      if (besides.has(member)) continue
      for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) waiting.push(child)
    }
  }
}

export const nodeOf = (value: unknown): SyntaxNode | null => (isNode(value) ? value : null)
export const nodeList = (value: unknown): SyntaxNode[] => (Array.isArray(value) ? value.filter(isNode) : [])

export function lineOf({ loc }: SyntaxNode): number {
  const start = isRecord(loc) && isRecord(loc.start) ? loc.start.line : 1
  return typeof start === 'number' ? start : 1
}

/** The last name of `track`, `assay.track`, `window.assay?.track` or `assay['track']`. */
export function nameOf(value: unknown): string {
  const node = nodeOf(value)
  switch (node?.type) {
    case 'Identifier':
    case 'JSXIdentifier':
    case 'PrivateName':
      return typeof node.name === 'string' ? node.name : ''
    case 'StringLiteral':
      return typeof node.value === 'string' ? node.value : ''
    case 'JSXNamespacedName':
      return `${nameOf(node.namespace)}:${nameOf(node.name)}`
    case 'MemberExpression':
    case 'OptionalMemberExpression':
    case 'JSXMemberExpression':
      return node.computed === true && nodeOf(node.property)?.type !== 'StringLiteral'
        ? ''
        : nameOf(node.property)
    default:
      return ''
  }
}
