/** As `eventLine` writes it; no other line has both members next to each other. */
const beginning = /^\{"workspace_id":"\w*","site_id":"\w*"[^{}[\]\\]*?,"event_id":"[^"\\]*","id_hi":\d/

/** The members that `eventLine` writes after those of the head. A quote within a text is escaped, so this is none. */
const afterHead =
  /,"(?:is_bound|is_contested|folded_title|is_bot|url|title|issues|properties|set_aside|context|held|state)":/

/**
 * The head of an event's line, as JSON: its ids, times, names, person and session. The rest is several times as long.
 * Null for lines that do not begin like those of `eventLine`.
 */
export function lineHead(line: string): string | null {
  if (!beginning.test(line)) return null
  const end = line.search(afterHead)
  return end === -1 ? line : `${line.slice(0, end)}}`
}
