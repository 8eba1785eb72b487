import type { NewId } from '../../platform/clock.ts'
import type { Events, QueryParams } from '../events.ts'

/** One person of a set, under the current id, with a text that statements compare or group by. */
export type SetPerson = { personId: string; value?: string; isText?: boolean }

/**
 * People whom the control store knows, as a parameter of a statement: its place is that of a `set_id`. They are in
 * the events store for that one statement only.
 */
export class PeopleSet {
  readonly workspaceId: string
  readonly people: () => AsyncIterable<readonly SetPerson[]>

  constructor(workspaceId: string, people: () => AsyncIterable<readonly SetPerson[]>) {
    this.workspaceId = workspaceId
    this.people = people
  }
}

/** The rows of a set, by the place of its parameter in the text. */
export const rowsOfSet = (place: string) =>
  `(SELECT person_key, value, is_text FROM audience_sets WHERE set_id = ${place})`

/** The same store, which writes sets of people down before a statement and removes them after it. */
export function withPeopleSets(events: Events, newId: NewId): Events {
  const around = async <Result>(
    params: QueryParams | undefined,
    run: (params: QueryParams | undefined) => Promise<Result>,
  ): Promise<Result> => {
    const sets = Object.values(params ?? {}).filter((value) => value instanceof PeopleSet)
    if (params === undefined || sets.length === 0) return run(params)
    const ids = new Map([...new Set(sets)].map((set) => [set, newId('set')]))
    const written: string[] = []
    try {
      for (const [set, setId] of ids) {
        for await (const people of set.people()) {
          if (people.length === 0) continue
          if (written.at(-1) !== setId) written.push(setId)
          await insertSet(events, set.workspaceId, setId, people)
        }
      }
      return await run(
        Object.fromEntries(
          Object.entries(params).map(([name, value]) => [
            name,
            value instanceof PeopleSet ? ids.get(value) : value,
          ]),
        ),
      )
    } finally {
      for (const setId of written) await dropSet(events, setId)
    }
  }
  return {
    ...events,
    query: (sql, params) => around(params, (bound) => events.query(sql, bound)),
    bytes: (sql, params) => around(params, (bound) => events.bytes(sql, bound)),
    command: (sql, params) => around(params, (bound) => events.command(sql, bound)),
  }
}

async function insertSet(
  events: Events,
  workspaceId: string,
  setId: string,
  people: readonly SetPerson[],
): Promise<void> {
  const rows = people.map(({ personId, value = '', isText = false }) => ({
    workspace_id: workspaceId,
    set_id: setId,
    person_id: personId,
    value,
    is_text: isText ? 1 : 0,
  }))
  await events.insertRows('audience_sets', rows)
}

/** Fails where a majority of replicas does not take rows. A set of no one, which is removed after a day. */
export async function probeReplicas(events: Events): Promise<void> {
  await insertSet(events, '', 'probe', [{ personId: '' }])
}

/** A partition cannot be named by a parameter; our own ids are letters, digits and underscores. */
async function dropSet(events: Events, setId: string): Promise<void> {
  if (!/^[a-z0-9_]+$/.test(setId)) throw new Error(`${JSON.stringify(setId)} is not one of our ids`)
  await events.command(`ALTER TABLE audience_sets DROP PARTITION '${setId}'`)
}
