import { nameOf, nodeList, nodeOf, nodesOf, type SyntaxNode } from './syntax.ts'

/** Values that a file gives to names: `const name = 'plan_chosen'`, `const names = { chosen: 'plan_chosen' }`. */
export type Constants = ReadonlyMap<string, SyntaxNode>

/** More are in no file that people wrote. */
const constantsMax = 10_000
/** A name may stand for a name; not for itself in a circle. */
const depthMax = 5

export function constantsOf(tree: SyntaxNode): Constants {
  const found = new Map<string, SyntaxNode>()
  for (const node of nodesOf(tree)) {
    if (node.type !== 'VariableDeclarator' || found.size >= constantsMax) continue
    const [name, value] = [nameOf(node.id), nodeOf(node.init)]
    if (name !== '' && value !== null) found.set(name, value)
  }
  return found
}

/** What is written around a value and changes nothing about it. */
const wrappers = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TypeCastExpression',
  'ParenthesizedExpression',
  'JSXExpressionContainer',
])

/** The texts that an expression may have, as far as the file says; the end alone of `${host}/sdk.js`. */
export function textsOf(value: unknown, constants: Constants, depth = 0): string[] {
  const node = nodeOf(value)
  if (node === null || depth > depthMax) return []
  const inner = (part: unknown) => textsOf(part, constants, depth + 1)
  if (wrappers.has(node.type)) return inner(node.expression)
  switch (node.type) {
    case 'StringLiteral':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return [lastOf(node)]
    case 'BinaryExpression':
      return node.operator === '+' ? inner(node.right) : []
    case 'ConditionalExpression':
      return [...inner(node.consequent), ...inner(node.alternate)]
    case 'LogicalExpression':
      return [...inner(node.left), ...inner(node.right)]
    case 'Identifier':
      return inner(constants.get(nameOf(node)))
    case 'MemberExpression':
      return inner(memberOf(constants.get(nameOf(node.object)), nameOf(node)))
    case 'NewExpression':
    case 'CallExpression':
      // new URL('/sdk.js', host)
      return nameOf(node.callee) === 'URL' ? inner(nodeList(node.arguments)[0]) : []
    default:
      return []
  }
}

function lastOf({ quasis }: SyntaxNode): string {
  const part = Object(Object(nodeList(quasis).at(-1)).value)
  return typeof part.cooked === 'string' ? part.cooked : ''
}

/** The value of a member of an object that is written out. */
function memberOf(value: unknown, name: string): SyntaxNode | null {
  const node = nodeOf(value)
  if (node === null) return null
  if (wrappers.has(node.type)) return memberOf(node.expression, name)
  // Object.freeze({ … })
  if (node.type === 'CallExpression') return memberOf(nodeList(node.arguments)[0], name)
  if (node.type !== 'ObjectExpression') return null
  const member = nodeList(node.properties).find(
    ({ type, key }) => type === 'ObjectProperty' && nameOf(key) === name,
  )
  return nodeOf(member?.value)
}
