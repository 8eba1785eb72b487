import { allocate, camelCase, identifierWords, nameMembers, pascalCase } from './names.ts'
import {
  type Choice,
  type Fields,
  localWords,
  type Member,
  namedShapes,
  pathKey,
  pathRank,
  type Scalar,
} from './shapes.ts'

const listed = (text: string): Set<string> => new Set(text.split(/\s+/))

/** Every word that Swift's grammar gives a meaning to in some place; in back-ticks it is a name. */
export const swiftKeywords: ReadonlySet<string> = listed(
  `actor any as associatedtype async await borrowing break case catch class consuming continue
  convenience default defer deinit didSet do dynamic each else enum extension fallthrough false
  fileprivate final for func get guard if import in indirect infix init inout internal is isolated
  lazy let macro mutating nil nonisolated nonmutating open operator optional override package
  postfix precedencegroup prefix private protocol public repeat required rethrows return self
  sending set some static struct subscript super switch throw throws true try typealias unowned var
  weak where while willSet yield`,
)

/**
 * Names that back-ticks do not save: members that Swift or a protocol of ours puts there itself, and `none`,
 * which in an optional means that there is no value.
 */
const takenMembers = listed(
  `additionalProperties allCases contractVersion description encode eventName hash hashValue init
  intValue none rawValue self some stringValue`,
)

/** Types that generated code speaks of, and names that no nested type may have. */
const takenTypes = listed(
  `Any Bool CaseIterable Codable CodingKey CodingKeys Decoder Double Encoder Equatable Int Protocol
  Self Sendable String Type`,
)

/** The identifier as it is written: a word of the language stands in back-ticks. */
export function written(identifier: string): string {
  return swiftKeywords.has(identifier) ? `\`${identifier}\`` : identifier
}

export function nameProperties(members: readonly Member[]): (name: string) => string {
  return nameMembers(
    members.map((member) => member.name),
    (words) => besideTaken(camelCase(words)),
    'property',
  )
}

export function nameCases(values: readonly Scalar[]): (value: Scalar) => string {
  const wishes = values.map((value) => ({
    source: JSON.stringify(value),
    identifier:
      typeof value === 'string' ? besideTaken(camelCase(identifierWords(value, 'value'))) : numberName(value),
    rank: 0,
  }))
  const cases = allocate(wishes)
  return (value) => cases.get(JSON.stringify(value)) ?? numberName(value)
}

/** 12 → value12, -1.5 → valueMinus1_5. */
function numberName(value: Scalar): string {
  return `value${String(value).replaceAll('-', 'Minus').replaceAll('.', '_').replaceAll('+', '')}`
}

/** Names the types directly inside a record. A name that does not begin upper case could equal a member's. */
export function nameNestedTypes(record: Fields): (shape: Choice | Fields) => string {
  return nameLocally(nestedTypes(record))
}

export function nameLocally(shapes: readonly (Choice | Fields)[]): (shape: Choice | Fields) => string {
  const wishes = shapes.map(({ path }) => {
    const name = pascalCase(localWords(path))
    const upper = /^\p{Lu}/u.test(name) ? name : `Value${name}`
    return {
      source: pathKey(path),
      identifier: takenTypes.has(upper) ? `${upper}Value` : upper,
      rank: pathRank(path),
    }
  })
  const names = allocate(wishes)
  return (shape) => names.get(pathKey(shape.path)) ?? pascalCase(localWords(shape.path))
}

/** The types that a record declares inside itself: those of its members, not those of their members. */
export function nestedTypes(record: Fields): (Choice | Fields)[] {
  return record.members.flatMap((member) => namedShapes(member.shape).slice(-1))
}

function besideTaken(identifier: string): string {
  return takenMembers.has(identifier) ? `${identifier}Value` : identifier
}
