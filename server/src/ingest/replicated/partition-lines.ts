import { crc32 } from 'node:zlib'

/** A line of an append that goes to a partition, and whether it is an event. */
type PartitionLine = { text: string; events: number }

/**
 * The first of these in a line of an event is its own: only its event id stands before it, where every quote is
 * escaped. Other lines have none, or any of a sender's; these belong to no partition in particular.
 */
const idPattern = /"id_hi":(\d{1,10}),/
/** Lines of rejections and repeats only count. */
const eventMark = '"event_id":'

/** The hash of workspace and event id decides, so that a repeat meets its first wherever it was sent. */
function partitionOf(line: string, partitions: number): number {
  const idHigh = idPattern.exec(line)?.[1]
  return (idHigh === undefined ? crc32(line) : Number(idHigh)) % partitions
}

/** Splits whole lines, each with its newline, by their partition. */
export function splitByPartition(lines: string, partitions: number): Map<number, PartitionLine[]> {
  const split = new Map<number, PartitionLine[]>()
  for (let start = 0; start < lines.length; ) {
    const end = lines.indexOf('\n', start) + 1 || lines.length
    const line = lines.slice(start, end)
    start = end
    const partition = partitionOf(line, partitions)
    const one = { text: line, events: line.includes(eventMark) ? 1 : 0 }
    const known = split.get(partition)
    if (known === undefined) split.set(partition, [one])
    else known.push(one)
  }
  return split
}
