import { createRequire } from 'node:module'
import { Language, type Node, Parser } from 'web-tree-sitter'

export type SwiftCheck = (source: string) => string[]

/** Words that are never a name outside back-ticks. The grammar is lenient about them, so they are looked for. */
const neverNames = new Set(
  `Any Self as break case catch class continue default defer deinit do else enum extension fallthrough false
  fileprivate for func guard if import in init inout internal is let nil operator private protocol public repeat
  rethrows return self static struct subscript super switch throw throws true try typealias var where
  while`.split(/\s+/),
)

/** Loads the Swift grammar once and answers a function that lists what is wrong with a source. */
export async function loadSwiftCheck(): Promise<SwiftCheck> {
  await Parser.init()
  const grammar = createRequire(import.meta.url).resolve(
    '@repomix/tree-sitter-wasms/out/tree-sitter-swift.wasm',
  )
  const parser = new Parser()
  parser.setLanguage(await Language.load(grammar))
  return (source) => {
    const tree = parser.parse(source)
    if (tree === null) return ['no tree']
    const problems = [...syntaxErrors(tree.rootNode), ...keywordsAsNames(tree.rootNode)]
    tree.delete()
    return problems
  }
}

function syntaxErrors(node: Node): string[] {
  if (!node.hasError) return []
  if (node.isError || node.isMissing) return [`${node.startPosition.row + 1}: ${node.text.slice(0, 80)}`]
  return node.children.flatMap((child) => (child === null ? [] : syntaxErrors(child)))
}

function keywordsAsNames(root: Node): string[] {
  return root
    .descendantsOfType(['simple_identifier', 'type_identifier'])
    .filter((node) => node !== null)
    .filter((node) => neverNames.has(node.text) && !isMetatypeOrInitializer(node))
    .map((node) => `${node.startPosition.row + 1}: ${node.text} is a word of the language`)
}

/** `String.self` and `self.init` are how the language says it. */
function isMetatypeOrInitializer(node: Node): boolean {
  return node.parent?.type === 'navigation_suffix' && (node.text === 'self' || node.text === 'init')
}
