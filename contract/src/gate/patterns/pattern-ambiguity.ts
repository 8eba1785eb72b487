import type { PatternNode, UnitSet } from './pattern-syntax.ts'

/** Where a part can begin and end, by the numbers of its character sets. */
type Span = { isNullable: boolean; first: readonly number[]; last: readonly number[] }
type Analysis = { sets: UnitSet[]; follow: Map<number, number[]>; loops: number; isAmbiguous: boolean }

/**
 * Whether, inside a repeat, one character can be read in two ways, as in `(a+)+` or `(a|ab)*`. Our own
 * matcher is linear on those too, but contracts are used in generated code, whose engines would backtrack
 * over every choice.
 */
export function hasAmbiguousLoop(node: PatternNode): boolean {
  const analysis: Analysis = { sets: [], follow: new Map(), loops: 0, isAmbiguous: false }
  spanOf(node, analysis)
  return analysis.isAmbiguous
}

function spanOf(node: PatternNode, analysis: Analysis): Span {
  if (node.kind === 'set') {
    const position = analysis.sets.push(node.set) - 1
    return { isNullable: false, first: [position], last: [position] }
  }
  if (node.kind === 'choice') return choiceSpan(node.options, analysis)
  if (node.kind === 'sequence') return sequenceSpan(node.parts, analysis)
  if (node.kind === 'repeat') return repeatSpan(node, analysis)
  return { isNullable: true, first: [], last: [] }
}

function choiceSpan(options: readonly PatternNode[], analysis: Analysis): Span {
  const spans = options.map((option) => spanOf(option, analysis))
  return {
    isNullable: spans.some((span) => span.isNullable),
    first: spans.flatMap((span) => span.first),
    last: spans.flatMap((span) => span.last),
  }
}

function sequenceSpan(parts: readonly PatternNode[], analysis: Analysis): Span {
  let whole: Span = { isNullable: true, first: [], last: [] }
  for (const part of parts) {
    const span = spanOf(part, analysis)
    connect(whole.last, span.first, analysis)
    whole = {
      isNullable: whole.isNullable && span.isNullable,
      first: whole.isNullable ? [...whole.first, ...span.first] : whole.first,
      last: span.isNullable ? [...whole.last, ...span.last] : span.last,
    }
  }
  return whole
}

function repeatSpan({ body, min, max }: PatternNode & { kind: 'repeat' }, analysis: Analysis): Span {
  const isLoop = max > 1
  if (isLoop) analysis.loops += 1
  const span = spanOf(body, analysis)
  if (isLoop) connect(span.last, span.first, analysis)
  if (isLoop) analysis.loops -= 1
  return min === 0 ? { ...span, isNullable: true } : span
}

function connect(from: readonly number[], to: readonly number[], analysis: Analysis): void {
  if (analysis.loops === 0) return
  for (const position of from) {
    const targets = analysis.follow.get(position) ?? []
    for (const target of to) {
      analysis.isAmbiguous ||= targets.some((other) => intersect(analysis.sets[other], analysis.sets[target]))
      targets.push(target)
    }
    analysis.follow.set(position, targets)
  }
}

function intersect(left: UnitSet | undefined, right: UnitSet | undefined): boolean {
  return (left ?? []).some(([from, to]) => (right ?? []).some(([low, high]) => from <= high && low <= to))
}
