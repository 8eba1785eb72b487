import type { WireContext, WireEvent } from './wire.ts'

/** Ids and times are made here and hold nothing to escape; only names and properties may. */
const member = (name: string, value: string | undefined) =>
  value === undefined ? '' : `"${name}":"${value}",`

/**
 * JSON of one event after another, the same text as `JSON.stringify` gives. Events of a page share their
 * context object, so its text is kept: that is more than half of the bytes.
 */
export function makeEncoder(): (event: WireEvent) => string {
  let context: WireContext | null = null
  let contextText = ''
  return (event) => {
    if (event.context !== context) {
      context = event.context
      contextText = JSON.stringify(context)
    }
    const name = JSON.stringify(event.event)
    const who = member('anonymous_id', event.anonymous_id) + member('user_id', event.user_id)
    const when = member('ts', event.ts) + member('session_id', event.session_id)
    const what = `"properties":${JSON.stringify(event.properties)},"context":${contextText}`
    return `{"event":${name},"event_id":"${event.event_id}",${who}${when}${what}}`
  }
}
