/** A way through channels, how often it led to an outcome and how often to nothing. */
export type PathCount = { channels: readonly string[]; conversions: number; nulls: number }

/** Consecutive touches of one channel are one exposure to it. */
export function collapseRepeats(channels: readonly string[]): string[] {
  return channels.filter((channel, index) => channel !== channels[index - 1])
}

/** Stands between the channels of a path's key; no name of a channel may hold it. */
const separator = '\u0001'

export function keyOfPath(channels: readonly string[]): string {
  return channels.join(separator)
}

/** The same path counted in several rows becomes one; repeats collapse. In the order of the keys. */
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

/** Every channel of these paths, in the order of the alphabet. */
export function channelsOf(rows: readonly PathCount[]): string[] {
  return [...new Set(rows.flatMap(({ channels }) => channels))].sort()
}
