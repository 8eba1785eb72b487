import { closeSync, openSync, writeSync } from 'node:fs'
import { makeEncoder } from '../../server/src/demo/traffic/events/encode.ts'
import type { TrafficEvent } from '../../server/src/demo/traffic/events/wire.ts'

/** Large enough that the system call does not count, small enough to stay in the processor's cache. */
const chunkCharacters = 256 * 1024

/**
 * Writes one line an event and returns how many. `line` may give any shape other than the wire, such as
 * the row of a table that is to be loaded directly.
 */
export function writeNdjson(
  events: Iterable<TrafficEvent>,
  path: string,
  line: (event: TrafficEvent) => string = wireLine(),
): number {
  const file = openSync(path, 'w')
  let count = 0
  try {
    let chunk = ''
    for (const event of events) {
      chunk += `${line(event)}\n`
      count += 1
      if (chunk.length < chunkCharacters) continue
      writeSync(file, chunk)
      chunk = ''
    }
    writeSync(file, chunk)
  } finally {
    closeSync(file)
  }
  return count
}

function wireLine(): (event: TrafficEvent) => string {
  const encode = makeEncoder()
  return (event) => encode(event.wire)
}
