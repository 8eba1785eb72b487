/** A path through channels, and how often it led to an outcome and to nothing. */
export type PathCount = { channels: readonly string[]; conversions: number; nulls: number }

/** Consecutive touches of one channel are one exposure to it. */
export function collapseRepeats(channels: readonly string[]): string[] {
  return channels.filter((channel, index) => channel !== channels[index - 1])
}

/** Separates the channels in a path's key; no channel name may contain it. */
const separator = '\u0001'

export function keyOfPath(channels: readonly string[]): string {
  return channels.join(separator)
}

/** Rows of the same path are added up; repeats collapse. In the order of the keys. */
export function gatherPaths(rows: readonly PathCount[]): PathCount[] {
  const byKey = new Map<string, PathCount>()
  for (const { channels, conversions, nulls } of rows) {
    const collapsed = collapseRepeats(channels)
    if (collapsed.length === 0) continue
    const key = keyOfPath(collapsed)
    const known = byKey.get(key)
    byKey.set(key, {
      channels: collapsed,
      conversions: (known?.conversions ?? 0) + conversions,
      nulls: (known?.nulls ?? 0) + nulls,
    })
  }
  return [...byKey]
    .sort(([left], [right]) => (left < right ? -1 : left > right ? 1 : 0))
    .map(([, row]) => row)
}

/** Every channel of these paths, in alphabetical order. */
export function channelsOf(rows: readonly PathCount[]): string[] {
  return [...new Set(rows.flatMap(({ channels }) => channels))].sort()
}
