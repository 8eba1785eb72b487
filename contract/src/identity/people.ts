import { type Static, Type } from 'typebox'
import { lookupProblems } from '../problems.ts'
import { filterTextCharactersMax } from '../questions/filters/filters.ts'
import { route } from '../route.ts'
import { Dictionary, paging, SnakePage, Time } from '../shapes.ts'
import { reads } from './access.ts'

export const peopleListLimits = {
  searchCharactersMax: 200,
  /** Chosen traits: the columns of a table that still fits a screen. */
  columnsMax: 20,
  /** Strongest first. A person has up to a thousand, most of them devices. */
  identifiersShownMax: 5,
  /** A list covers people seen within this time, and looks through their events. */
  seenDaysMax: 400,
  seenDaysDefault: 30,
  /** People whose identifiers and traits one page looks through; the next page continues there. */
  examinedMax: 5_000,
} as const

export const ListedPerson = Type.Object({
  person_id: Type.String(),
  identifiers: Type.Array(Type.Object({ type: Type.String(), value: Type.String() }), {
    description: `Strongest first, at most ${peopleListLimits.identifiersShownMax}`,
  }),
  traits: Dictionary(Type.Unknown(), { description: 'The chosen ones that the person has' }),
  first_seen_at: Type.Union([Time, Type.Null()]),
  last_seen_at: Type.Union([Time, Type.Null()]),
  events: Type.Integer(),
})
export type ListedPerson = Static<typeof ListedPerson>

const time = (description: string) => Type.Optional(Type.String({ maxLength: 40, description }))

export const listPeople = route({
  ...reads,
  id: 'listPeople',
  fresh: 'snake',
  method: 'GET',
  path: '/v1/identity/people',
  summary: 'List people, last seen first',
  description:
    'People whose last event that is not a bot’s is in a time, the last ' +
    `${peopleListLimits.seenDaysDefault} days by default. With a search a page looks through ` +
    `${peopleListLimits.examinedMax} people, so it may have fewer rows than the limit, or none, and still a next_cursor.`,
  query: Type.Object(
    {
      ...paging,
      site_id: Type.Optional(Type.String({ maxLength: 64, description: 'Only events of this site count' })),
      search: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: peopleListLimits.searchCharactersMax,
          description:
            'A person id or an identifier finds exactly those people, whenever they were seen. Any other text is ' +
            'looked for in identifiers and traits, in any case.',
        }),
      ),
      filters: Type.Optional(
        Type.String({
          maxLength: filterTextCharactersMax,
          description:
            'The filters of every read, as JSON text: [["is", "trait:plan", ["pro"]], ["did", {"event": "$signup"}], ' +
            '["is", "country", ["DE"]]]. A person fits, or has an event since seen_from that fits, all of them. For ' +
            'anything but traits, name the site in site_id.',
        }),
      ),
      columns: Type.Optional(
        Type.String({
          maxLength: 4_096,
          description: `Names of traits to show, separated by commas, ${peopleListLimits.columnsMax} at most`,
        }),
      ),
      seen_from: time(
        `RFC 3339, or a date in UTC: last seen then or later; ${peopleListLimits.seenDaysMax} days back at most`,
      ),
      seen_to: time('RFC 3339, or a date in UTC: last seen before; a date means the end of that day'),
    },
    { additionalProperties: false },
  ),
  success: { status: 200, body: SnakePage(ListedPerson) },
  problems: lookupProblems,
})

export const peopleRoutes = [listPeople] as const
