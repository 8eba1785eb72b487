/** Code units as sorted, disjoint ranges. */
export type UnitSet = readonly (readonly [from: number, to: number])[]

export type PatternNode =
  | { kind: 'set'; set: UnitSet }
  | { kind: 'sequence'; parts: readonly PatternNode[] }
  | { kind: 'choice'; options: readonly PatternNode[] }
  | { kind: 'repeat'; body: PatternNode; min: number; max: number }
  | { kind: 'start' }
  | { kind: 'end' }

/** Why a pattern is refused, for its author. */
export class PatternProblem extends Error {}

const unitMax = 0xffff
const digit: UnitSet = [[48, 57]]
const word: UnitSet = [
  [48, 57],
  [65, 90],
  [95, 95],
  [97, 122],
]
/** White space and line ends of ECMA-262. */
const space: UnitSet = [
  [9, 13],
  [32, 32],
  [160, 160],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
]
const lineEnd: UnitSet = [
  [10, 10],
  [13, 13],
  [0x2028, 0x2029],
]

const classEscapes: Readonly<Record<string, UnitSet>> = {
  d: digit,
  D: invert(digit),
  w: word,
  W: invert(word),
  s: space,
  S: invert(space),
}
const unitEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }

function invert(set: UnitSet): UnitSet {
  const inverted: [number, number][] = []
  let next = 0
  for (const [from, to] of set) {
    if (from > next) inverted.push([next, from - 1])
    next = to + 1
  }
  if (next <= unitMax) inverted.push([next, unitMax])
  return inverted
}

function unite(sets: readonly UnitSet[]): UnitSet {
  const united: [number, number][] = []
  for (const [from, to] of sets.flat().sort((left, right) => left[0] - right[0])) {
    const last = united.at(-1)
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to)
    else united.push([from, to])
  }
  return united
}

type Reader = { source: string; at: number }

function peek(reader: Reader): string {
  return reader.source.charAt(reader.at)
}

function take(reader: Reader): string {
  const character = peek(reader)
  reader.at += 1
  return character
}

/**
 * Parses the part of JavaScript's regular expressions that describes shapes: literals, classes, groups,
 * choices, repeats and anchors. Look-arounds, back-references and \b cannot be matched in linear time.
 */
export function parsePattern(source: string): PatternNode {
  const reader = { source, at: 0 }
  const node = readChoice(reader)
  if (reader.at < source.length) throw new PatternProblem('a ) has no (')
  return node
}

function readChoice(reader: Reader): PatternNode {
  const options = [readSequence(reader)]
  while (peek(reader) === '|') {
    reader.at += 1
    options.push(readSequence(reader))
  }
  const [only] = options
  return options.length === 1 && only !== undefined ? only : { kind: 'choice', options }
}

function readSequence(reader: Reader): PatternNode {
  const parts: PatternNode[] = []
  while (reader.at < reader.source.length && peek(reader) !== '|' && peek(reader) !== ')') {
    parts.push(readRepeat(reader, readAtom(reader)))
  }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? only : { kind: 'sequence', parts }
}

function readAtom(reader: Reader): PatternNode {
  const character = take(reader)
  if (character === '^') return { kind: 'start' }
  if (character === '$') return { kind: 'end' }
  if (character === '(') return readGroup(reader)
  if (character === '[') return { kind: 'set', set: readClass(reader) }
  if (character === '.') return { kind: 'set', set: invert(lineEnd) }
  if (character === '\\') return { kind: 'set', set: readEscape(reader) }
  if ('*+?{'.includes(character)) throw new PatternProblem(`there is nothing before ${character} to repeat`)
  return { kind: 'set', set: unitSet(character.charCodeAt(0)) }
}

function readGroup(reader: Reader): PatternNode {
  if (peek(reader) === '?') {
    const named = /^\?(?::|<[A-Za-z_]\w{0,31}>)/.exec(reader.source.slice(reader.at))
    if (named === null) throw new PatternProblem('look-ahead and look-behind are not taken')
    reader.at += named[0].length
  }
  const node = readChoice(reader)
  if (take(reader) !== ')') throw new PatternProblem('a ( is never closed')
  return node
}

function readRepeat(reader: Reader, body: PatternNode): PatternNode {
  const found = /^(?:[*+?]|\{(\d{1,4})(,(\d{0,4}))?\})/.exec(reader.source.slice(reader.at))
  if (found === null) return body
  if (body.kind === 'start' || body.kind === 'end') throw new PatternProblem('an anchor cannot be repeated')
  reader.at += found[0].length
  // A lazy repeat matches the same texts as a greedy one.
  if (peek(reader) === '?') reader.at += 1
  const [whole, from, range, to] = found
  const min = whole === '+' ? 1 : Number(from ?? 0)
  const bounded = range === undefined ? Number(from) : to === '' ? Number.POSITIVE_INFINITY : Number(to)
  const max = whole === '?' ? 1 : whole === '*' || whole === '+' ? Number.POSITIVE_INFINITY : bounded
  if (max < min) throw new PatternProblem('a repeat ends before it begins')
  if ('*+?'.includes(peek(reader)) && peek(reader) !== '')
    throw new PatternProblem('a repeat is itself repeated')
  return { kind: 'repeat', body, min, max }
}

function readEscape(reader: Reader): UnitSet {
  const character = take(reader)
  const set = classEscapes[character]
  if (set !== undefined) return set
  const unit = unitEscapes[character]
  if (unit !== undefined) return unitSet(unit)
  if (character === 'x' || character === 'u') return unitSet(readHex(reader, character === 'x' ? 2 : 4))
  if (character === '' || /[A-Za-z0-9]/.test(character))
    throw new PatternProblem(`\\${character} is not taken`)
  return unitSet(character.charCodeAt(0))
}

function readHex(reader: Reader, length: number): number {
  const digits = reader.source.slice(reader.at, reader.at + length)
  if (digits.length !== length || !/^[0-9A-Fa-f]+$/.test(digits))
    throw new PatternProblem('an escape lacks its digits')
  reader.at += length
  return Number.parseInt(digits, 16)
}

function readClass(reader: Reader): UnitSet {
  const isInverted = peek(reader) === '^'
  if (isInverted) reader.at += 1
  const sets: UnitSet[] = []
  while (peek(reader) !== ']') {
    if (reader.at >= reader.source.length) throw new PatternProblem('a [ is never closed')
    sets.push(readClassPart(reader))
  }
  reader.at += 1
  const set = unite(sets)
  return isInverted ? invert(set) : set
}

function readClassPart(reader: Reader): UnitSet {
  const from = readClassUnit(reader)
  const isRange = peek(reader) === '-' && reader.source.charAt(reader.at + 1) !== ']'
  if (!isRange || reader.at + 1 >= reader.source.length) return from
  reader.at += 1
  const to = readClassUnit(reader)
  const [low, high] = [singleUnit(from), singleUnit(to)]
  if (low === undefined || high === undefined)
    throw new PatternProblem('a range needs a single character at each end')
  if (high < low) throw new PatternProblem('a range ends before it begins')
  return [[low, high]]
}

function readClassUnit(reader: Reader): UnitSet {
  const character = take(reader)
  return character === '\\' ? readEscape(reader) : unitSet(character.charCodeAt(0))
}

function singleUnit(set: UnitSet): number | undefined {
  const [range] = set
  return set.length === 1 && range !== undefined && range[0] === range[1] ? range[0] : undefined
}

function unitSet(unit: number): UnitSet {
  return [[unit, unit]]
}
