import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import type { TSchema } from 'typebox'
import { jsonDepth } from '../../platform/text/json-depth.ts'
import type { Check } from './value-checks.ts'

/** Deeper than anything that the product writes; recursion on such a value does not overflow the stack. */
const depthMax = 64
/** Everything that is stored as JSON and has no limit of its own is smaller. */
const jsonCharactersMax = 1_000_000

type Read = { parsed: unknown } | { problem: string }

export function readJson(value: unknown, charactersMax = jsonCharactersMax, isAnyCharacter = false): Read {
  if (typeof value !== 'string') return { problem: 'must be JSON as a text' }
  if (value.length > charactersMax) return { problem: `must have ${charactersMax} characters at most` }
  if (jsonDepth(value) > depthMax) return { problem: `must be at most ${depthMax} levels deep` }
  try {
    const parsed: unknown = JSON.parse(value)
    return isAnyCharacter || isStorable(parsed)
      ? { parsed }
      : { problem: 'must not have broken characters in it' }
  } catch {
    return { problem: 'must be JSON' }
  }
}

/** Postgres stores such JSON and then fails when a member is extracted. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member))
}

type ShapedOptions<Value = unknown> = {
  validate?: (value: Value) => void
  charactersMax?: number | undefined
  /** Text that is only read as a whole, where invalid characters are harmless and the API accepts them. */
  isAnyCharacter?: true | undefined
}

const shapes = new Ajv({ strict: false })

/** JSON of a shape that a route declares, or that a module reads, and what a validator says about it besides. */
export function shaped<Value = unknown>(
  schema: TSchema,
  { validate = () => {}, charactersMax, isAnyCharacter }: ShapedOptions<Value> = {},
): Check {
  // Compiled when it is first needed: all of them together are a sixth of a start, and most never import anything.
  let compiled: ValidateFunction<Value> | undefined
  return (value) => {
    compiled ??= shapes.compile<Value>(schema)
    const isShaped = compiled
    const read = readJson(value, charactersMax, isAnyCharacter)
    if ('problem' in read) return read.problem
    const { parsed } = read
    if (!isShaped(parsed)) return wordsOf(isShaped.errors)
    return refusalOf(() => validate(parsed))
  }
}

function wordsOf(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? []
  return `${first?.instancePath ?? ''} ${first?.message ?? 'has another shape'}`.trim()
}

/** What a validator of a route throws, as the reason. */
export function refusalOf(validate: () => void): string | null {
  try {
    validate()
    return null
  } catch (error) {
    return error instanceof Error ? `is refused: ${error.message}` : 'is refused'
  }
}

/** JSON of any shape. */
export function json(charactersMax: number): Check {
  return (value) => {
    const read = readJson(value, charactersMax)
    return 'problem' in read ? read.problem : null
  }
}
