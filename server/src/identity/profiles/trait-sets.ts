import { Problem, traitCharactersMax, traitPeopleMax, traitPrefix } from '@assay/contract'
import type { Sql } from '../../store/control.ts'
import { PeopleSet, type SetPerson } from '../../store/filters/people-sets.ts'
import { selectTraitNames, selectTraitValues } from './trait-holder-store.ts'
import { traitsOf } from './traits.ts'

/** A person can have a trait under several identifiers. */
const rowsMax = 3 * traitPeopleMax
/** Of all values together, which bounds the memory. */
const charactersMax = 20_000_000
/** Traits by which names are suggested, and names of them. */
const sampleRows = 20_000

/**
 * Everyone who has a trait, under their current ids, with its value as text. The control store is asked by the first
 * statement that needs it, and once.
 */
export function traitSet(sql: Sql, workspaceId: string, trait: string): PeopleSet {
  let known: Promise<SetPerson[]> | undefined
  return new PeopleSet(workspaceId, async function* () {
    known ??= readValues(sql, workspaceId, trait)
    yield await known
  })
}

async function readValues(sql: Sql, workspaceId: string, trait: string): Promise<SetPerson[]> {
  const rows = await selectTraitValues(sql, workspaceId, trait, rowsMax + 1)
  const byPerson = Map.groupBy(rows, (row) => row.person_id)
  if (rows.length > rowsMax || byPerson.size > traitPeopleMax) throw tooMany(trait)
  const types = new Map(rows.map((row) => [row.original_id, row.type]))
  const people = [...byPerson].flatMap(([personId, own]) =>
    traitsOf(own, (originalId) => types.get(originalId) ?? '').map(({ value }) => ({
      personId,
      value: textOf(value).slice(0, traitCharactersMax).toWellFormed(),
      isText: typeof value === 'string',
    })),
  )
  if (people.reduce((sum, { value }) => sum + value.length, 0) > charactersMax) throw tooMany(trait)
  return people
}

/** As properties of events are compared: texts as they are, everything else as JSON. */
const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

function tooMany(trait: string): Problem {
  const field = `${traitPrefix}${trait}`
  const message = `is known of more than ${traitPeopleMax} people, or too long: make an audience of those you mean`
  return new Problem('invalid-parameter', { detail: `${field} ${message}.`, errors: [{ field, message }] })
}

export type TraitName = { key: string; types: string[] }

/** Names of traits to choose from, most frequent first, by a part of what is known. */
export async function traitNames(sql: Sql, workspaceId: string, most: number): Promise<TraitName[]> {
  const rows = await selectTraitNames(sql, workspaceId, sampleRows, most * 2)
  return [...Map.groupBy(rows, ({ key }) => key)]
    .map(([key, own]) => ({ key, types: own.map(({ type }) => type) }))
    .slice(0, most)
}
