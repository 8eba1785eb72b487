import { allocate, pascalCase } from './names.ts'
import { type EventShape, globalWords, namedShapes, type Path, pathKey, pathRank } from './shapes.ts'

/**
 * One name for every type of a file in which all types live side by side. An event goes before a nested type
 * that would be called the same, and a key in plain snake_case before one that only looks like it.
 */
export function nameTypes(
  events: readonly EventShape[],
  reserved: ReadonlySet<string>,
): (path: Path) => string {
  const shapes = events.flatMap((event) => namedShapes(event.properties))
  const wishes = shapes.map(({ path }) => {
    const name = upperCase(pascalCase(globalWords(path)))
    const identifier = reserved.has(name) ? `${name}Event` : name
    return { source: pathKey(path), identifier, rank: pathRank(path) }
  })
  const names = allocate(wishes)
  return (path) => names.get(pathKey(path)) ?? pascalCase(globalWords(path))
}

/** Letters without case begin no type's name, as a function might be called the same. */
function upperCase(name: string): string {
  return /^\p{Lu}/u.test(name) ? name : `Event${name}`
}

/** What the doc comment of an event says besides its description. */
export function eventNotes(event: EventShape): string[] {
  const notes = [`Event \`${event.name}\`, contract ${event.version}.`]
  if (event.owner !== undefined) notes.push(`Owner: ${event.owner}.`)
  if (event.surfaces.length > 0) notes.push(`Sent from: ${event.surfaces.join(', ')}.`)
  if (event.isDraft) notes.push('Draft: the gate does not know it until it is published.')
  return notes
}

export function deprecationNote(event: EventShape): string {
  return event.replacedBy === undefined
    ? 'The registry lists no replacement.'
    : `Use ${event.replacedBy} instead.`
}
