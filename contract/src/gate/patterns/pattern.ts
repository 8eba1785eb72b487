import { hasAmbiguousLoop } from './pattern-ambiguity.ts'
import type { PatternNode, UnitSet } from './pattern-syntax.ts'
import { PatternProblem, parsePattern } from './pattern-syntax.ts'

/** Longer than any pattern that a person can still check by eye. */
export const patternCharactersMax = 256
/** `\d{1,400}` is 400 states. Together with the text below it bounds one match to about four million steps. */
const statesMax = 500
/** Longer texts do not match: patterns are for short values. */
export const matchedCharactersMax = 8192

type CompiledPattern = { ok: true; matches: (text: string) => boolean } | { ok: false; problem: string }

/**
 * Compiles a customer's pattern into a matcher that is linear in the text for every pattern: it follows all
 * alternatives at once (Thompson's construction) and never backtracks.
 */
export function compilePattern(pattern: string): CompiledPattern {
  if (pattern.length > patternCharactersMax) {
    return { ok: false, problem: `it is longer than ${patternCharactersMax} characters` }
  }
  try {
    const node = parsePattern(pattern)
    if (hasAmbiguousLoop(node))
      return { ok: false, problem: 'a repeat in it can read the same text in several ways' }
    return { ok: true, matches: matcherOf(node) }
  } catch (cause) {
    if (cause instanceof PatternProblem) return { ok: false, problem: cause.message }
    throw cause
  }
}

type State =
  | { kind: 'set'; has: (unit: number) => boolean; next: number }
  | { kind: 'split'; next: number; other: number }
  | { kind: 'start'; next: number }
  | { kind: 'end'; next: number }
  | { kind: 'match' }

function matcherOf(node: PatternNode): (text: string) => boolean {
  const states: State[] = [{ kind: 'match' }]
  const entry = build(node, 0, states)
  return (text) => text.length <= matchedCharactersMax && run(states, entry, text)
}

function add(states: State[], state: State): number {
  if (states.length >= statesMax) throw new PatternProblem('its repeats unfold into too many states')
  return states.push(state) - 1
}

/** Builds from the end to the beginning: returns the state that reads `node` and continues with `next`. */
function build(node: PatternNode, next: number, states: State[]): number {
  if (node.kind === 'set') return add(states, { kind: 'set', has: membership(node.set), next })
  if (node.kind === 'sequence') {
    return node.parts.reduceRight((following, part) => build(part, following, states), next)
  }
  if (node.kind === 'choice') {
    const entries = node.options.map((option) => build(option, next, states))
    return entries.reduceRight((other, entry) => add(states, { kind: 'split', next: entry, other }))
  }
  if (node.kind === 'repeat') return buildRepeat(node, next, states)
  return add(states, { kind: node.kind, next })
}

function buildRepeat(
  { body, min, max }: PatternNode & { kind: 'repeat' },
  next: number,
  states: State[],
): number {
  let entry = next
  if (max === Number.POSITIVE_INFINITY) {
    const loop: State = { kind: 'split', next: -1, other: next }
    entry = add(states, loop)
    loop.next = build(body, entry, states)
  } else {
    for (let count = max; count > min; count -= 1) {
      entry = add(states, { kind: 'split', next: build(body, entry, states), other: next })
    }
  }
  for (let count = 0; count < min; count += 1) entry = build(body, entry, states)
  return entry
}

function membership(set: UnitSet): (unit: number) => boolean {
  const [only] = set
  if (set.length === 1 && only !== undefined) {
    const [from, to] = only
    return (unit) => unit >= from && unit <= to
  }
  return (unit) => set.some(([from, to]) => unit >= from && unit <= to)
}

function run(states: readonly State[], entry: number, text: string): boolean {
  // The step at which a state was last reached, so that no state is followed twice in one step.
  const reachedAt = new Int32Array(states.length).fill(-1)
  let current: number[] = []
  for (let index = 0; index <= text.length; index += 1) {
    const next: number[] = []
    const reading = { states, reachedAt, index, length: text.length }
    if (reach(entry, current, reading)) return true
    if (index === text.length) return false
    const unit = text.charCodeAt(index)
    const after = { states, reachedAt, index: index + 1, length: text.length }
    for (const at of current) {
      const state = states[at]
      if (state?.kind === 'set' && state.has(unit) && reach(state.next, next, after)) return true
    }
    current = next
  }
  return false
}

type Progress = { states: readonly State[]; reachedAt: Int32Array; index: number; length: number }

/** Follows all transitions that read nothing. Returns whether the match is reached. */
function reach(start: number, list: number[], progress: Progress): boolean {
  const pending = [start]
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    const state = progress.states[at]
    if (state === undefined || progress.reachedAt[at] === progress.index) continue
    progress.reachedAt[at] = progress.index
    if (state.kind === 'match') return true
    if (state.kind === 'set') list.push(at)
    else if (state.kind === 'split') pending.push(state.other, state.next)
    else if (state.kind === 'start' ? progress.index === 0 : progress.index === progress.length) {
      pending.push(state.next)
    }
  }
  return false
}
