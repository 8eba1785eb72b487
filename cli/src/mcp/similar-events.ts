import { type Contract, defaultRules, toSnakeCase } from '@assay/contract'

type SimilarEvent = {
  key: string
  name: string
  description: string
  /** 0 to 1. */
  score: number
  why: string
}

type NewEvent = { key: string; properties: readonly string[] }

/**
 * From this score on, a reader of both names would ask whether they mean the same. Tried on the 18 and the
 * packs.
 */
const nameScoreMin = 0.6
/**
 * Two events that share three in five of their properties, and at least two, usually describe the same
 * action.
 */
const propertyScoreMin = 0.6
const sharedPropertiesMin = 2
const shownMax = 5

/** Events that may be the same action under another name, most similar first. */
export function findSimilar(wanted: NewEvent, contracts: readonly Contract[]): SimilarEvent[] {
  const target = defaultRules.find(({ source }) => toSnakeCase(source) === toSnakeCase(wanted.key))?.target
  return contracts
    .flatMap((contract) => {
      const { key, name, description } = contract
      if (key === wanted.key) return [{ key, name, description, score: 1, why: 'it has the same key' }]
      if (name === target)
        return [
          { key, name, description, score: 1, why: 'this name is counted as that standard event already' },
        ]
      const best = bestOf([
        byName(wanted.key, key),
        byProperties(wanted.properties, Object.keys(contract.properties)),
      ])
      return best === null ? [] : [{ key, name, description, ...best }]
    })
    .toSorted((left, right) => right.score - left.score || (left.key < right.key ? -1 : 1))
    .slice(0, shownMax)
}

type Likeness = { score: number; why: string }

function bestOf(found: readonly (Likeness | null)[]): Likeness | null {
  const alike = found.filter((each) => each !== null)
  if (alike.length === 0) return null
  return { score: Math.max(...alike.map(({ score }) => score)), why: alike.map(({ why }) => why).join('; ') }
}

function byName(left: string, right: string): Likeness | null {
  const score = Math.max(wordLikeness(left, right), spellingLikeness(left, right))
  return score < nameScoreMin ? null : { score: round(score), why: 'the names are nearly the same' }
}

function byProperties(left: readonly string[], right: readonly string[]): Likeness | null {
  const shared = left.filter((name) => right.includes(name))
  const score = shared.length / (new Set([...left, ...right]).size || 1)
  if (shared.length < sharedPropertiesMin || score < propertyScoreMin) return null
  return { score: round(score), why: `both have ${shared.join(', ')}` }
}

const round = (score: number) => Math.round(score * 100) / 100

/** Share of words in common, ignoring order, number and tense. */
function wordLikeness(left: string, right: string): number {
  const [ours, theirs] = [wordsOf(left), wordsOf(right)]
  const shared = [...ours].filter((word) => theirs.has(word)).length
  return shared / (new Set([...ours, ...theirs]).size || 1)
}

function wordsOf(key: string): ReadonlySet<string> {
  return new Set(
    key
      .split('_')
      .filter((word) => word !== '')
      .map(stem),
  )
}

/** clicks, clicked and clicking become click; good enough for names of three words without a dictionary. */
function stem(word: string): string {
  const bare = word.replace(/(?:ing|ed|es|s|e)$/, '')
  return bare.length >= 3 ? bare : word
}

/** One minus the share of letters that have to change. */
function spellingLikeness(left: string, right: string): number {
  return 1 - editDistance(left, right) / Math.max(left.length, right.length, 1)
}

function editDistance(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const change = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}
