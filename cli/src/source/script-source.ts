import { type Constants, constantsOf, textsOf } from './constants.ts'
import { consentRoute, type EventWords, type Finding, importedSdk, isSdkAddress } from './mentions.ts'
import { lineOf, nameOf, nodeList, nodeOf, nodesOf, type SyntaxNode, syntaxOf } from './syntax.ts'

type Look = { words: EventWords; texts: (value: unknown) => string[]; isOwn: (name: string) => boolean }

/** Findings of JavaScript or TypeScript, with JSX or without; null if the text is neither. */
export function readScript(text: string, words: EventWords): Finding[] | null {
  const tree = syntaxOf(text)
  if (tree === null) return null
  const constants: Constants = constantsOf(tree)
  const own = declaredFunctions(tree)
  const look: Look = { words, texts: (value) => textsOf(value, constants), isOwn: (name) => own.has(name) }
  const pushed = new Set<unknown>()
  const found: Finding[] = []
  for (const node of nodesOf(tree)) {
    // A data layer belongs to a tag manager; what it forwards is not known here.
    if (isPush(node)) for (const argument of nodeList(node.arguments)) pushed.add(argument)
    if (!pushed.has(node)) found.push(...(readers[node.type]?.(node, look) ?? []))
  }
  return found.toSorted((left, right) => left.line - right.line)
}

type Reader = (node: SyntaxNode, look: Look) => Finding[]

const readers: Readonly<Record<string, Reader>> = {
  ImportDeclaration: importOf,
  ExportNamedDeclaration: importOf,
  ExportAllDeclaration: importOf,
  ImportExpression: importOf,
  CallExpression: (node, look) => [...installByCall(node, look), ...callOf(node, look)],
  OptionalCallExpression: callOf,
  ArrayExpression: (node, look) => byName(node, nodeList(node.elements), look),
  ObjectExpression: objectOf,
  AssignmentExpression: (node, look) =>
    nameOf(node.left) === 'src' ? installAt(node, look.texts(node.right)) : [],
  JSXOpeningElement: elementOf,
  StringLiteral: (node) =>
    typeof node.value === 'string' && isConsentAddress(node.value)
      ? [{ kind: 'consent', line: lineOf(node) }]
      : [],
  TemplateElement: (node) => {
    const { cooked } = Object(node.value)
    return typeof cooked === 'string' && isConsentAddress(cooked)
      ? [{ kind: 'consent', line: lineOf(node) }]
      : []
  },
}

function isConsentAddress(text: string): boolean {
  return text.endsWith(consentRoute)
}

function installAt(node: SyntaxNode, addresses: readonly string[]): Finding[] {
  return addresses
    .filter(isSdkAddress)
    .map(() => ({ kind: 'install', line: lineOf(node), name: 'the script' }))
}

function importOf(node: SyntaxNode): Finding[] {
  // Types install nothing: import type { Events } from …
  if (node.importKind === 'type' || node.exportKind === 'type') return []
  const sdk = importedSdk(nameOf(node.source))
  return sdk === null ? [] : [{ kind: 'install', line: lineOf(node), name: sdk }]
}

/** require('…'), import('…'), and a script element: setAttribute('src', '…'), loadScript('…/sdk.js'). */
function installByCall(node: SyntaxNode, { texts }: Look): Finding[] {
  const isImport = nodeOf(node.callee)?.type === 'Import' || nameOf(node.callee) === 'require'
  const given = nodeList(node.arguments).flatMap(texts)
  if (!isImport) return installAt(node, given)
  const sdk = importedSdk(given[0] ?? '')
  return sdk === null ? [] : [{ kind: 'install', line: lineOf(node), name: sdk }]
}

function callOf(node: SyntaxNode, look: Look): Finding[] {
  const name = nameOf(node.callee)
  const given = nodeList(node.arguments)
  const line = lineOf(node)
  if (name === 'consent' || name === 'setConsent') return [{ kind: 'consent', line }]
  const key = look.words.functions.get(name)
  if (key !== undefined && !look.isOwn(name)) return [{ kind: 'event', line, event: key }]
  if (name === 'track' || name === 'capture') {
    return look
      .texts(given[0])
      .filter((text) => look.words.keys.has(text))
      .map((event) => ({ kind: 'event', line, event }))
  }
  return byName(node, given, look)
}

/** assay('track', 'plan_chosen'), and the same as an array: queue.push(['track', 'plan_chosen']). */
function byName(node: SyntaxNode, [call, name]: readonly SyntaxNode[], { words, texts }: Look): Finding[] {
  const line = lineOf(node)
  const [said] = texts(call)
  if (said === 'consent') return [{ kind: 'consent', line }]
  if (said !== 'track') return []
  return texts(name)
    .filter((text) => words.keys.has(text))
    .map((event) => ({ kind: 'event', line, event }))
}

/** track({ event: 'plan_chosen' }), the items of a batch, a body of fetch; { src: '…/sdk.js' } of a head. */
function objectOf(node: SyntaxNode, { words, texts }: Look): Finding[] {
  const line = lineOf(node)
  return nodeList(node.properties).flatMap((member): Finding[] => {
    const name = nameOf(member.key)
    if (name === 'consent') return [{ kind: 'consent', line: lineOf(member) }]
    if (name === 'src') return installAt(member, texts(member.value))
    if (name !== 'event') return []
    return texts(member.value)
      .filter((text) => words.keys.has(text))
      .map((event) => ({ kind: 'event', line, event }))
  })
}

/** <script src="…/sdk.js" data-key="…">, and components of frameworks that become one. */
function elementOf(node: SyntaxNode, { texts }: Look): Finding[] {
  if (nameOf(node.name).toLowerCase() !== 'script') return []
  const attributes = nodeList(node.attributes)
  const attribute = (name: string) =>
    attributes.find((each) => each.type === 'JSXAttribute' && nameOf(each.name) === name)
  const source = attribute('src')
  if (source === undefined) return []
  // What is spread into it is not known.
  const isWhole = attributes.every(({ type }) => type === 'JSXAttribute')
  const lacksKey = isWhole && attribute('data-key') === undefined
  const consent: Finding[] =
    attribute('data-consent') === undefined ? [] : [{ kind: 'consent', line: lineOf(node) }]
  return texts(source.value)
    .filter(isSdkAddress)
    .flatMap((): Finding[] => [
      { kind: 'install', line: lineOf(node), name: 'the script tag', ...(lacksKey && { lacksKey }) },
      ...consent,
    ])
}

function isPush({ type, callee }: SyntaxNode): boolean {
  if (type !== 'CallExpression' || nameOf(callee) !== 'push') return false
  return nameOf(nodeOf(callee)?.object) === 'dataLayer'
}

/** A function of the file itself with the name of a generated one is another function. */
function declaredFunctions(tree: SyntaxNode): ReadonlySet<string> {
  const names = new Set<string>()
  for (const { type, id } of nodesOf(tree)) if (type === 'FunctionDeclaration') names.add(nameOf(id))
  return names
}
