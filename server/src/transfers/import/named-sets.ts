/** What rows of an import may name: only what came with it. */
const namedSets = [
  'sites',
  'connections',
  'destinations',
  'audiences',
  'backfills',
  'digests',
  'generations',
  'replays',
  'alerts',
] as const
export type Named = (typeof namedSets)[number]

export type Brought = Readonly<Record<Named, Set<string>>> & {
  /** By which ids of people were made. */
  readonly personKey: string
}

export function nothingBrought(personKey: string): Brought {
  const set = () => new Set<string>()
  return {
    sites: set(),
    connections: set(),
    destinations: set(),
    audiences: set(),
    backfills: set(),
    digests: set(),
    generations: set(),
    replays: set(),
    alerts: set(),
    personKey,
  }
}
