import { type Finding, isRecord, Problem, readTrack, type TrackOptions, withoutAlias } from '@assay/contract'
import { type AliasCall, eventIdIn, readAlias } from '../identity/commands/wire.ts'
import type { SiteRow } from '../sites/sites.ts'
import type { Item } from './validation.ts'

/**
 * An alias is validated as an identify event of its person, with the context that contains their consent. Its
 * time does not matter, since a link has none.
 */
export function aliasItem(
  input: Readonly<Record<string, unknown>>,
  site: SiteRow,
  { context }: TrackOptions,
): Item {
  const alias = read(input)
  if ('findings' in alias) {
    const eventId = eventIdIn(input)
    const reading = { kind: 'unreadable', findings: alias.findings } as const
    return { site, reading, ...(eventId !== null && { eventId }) }
  }
  const call = {
    type: 'identify',
    user_id: alias.to.identifier.value,
    event_id: input.event_id ?? input.messageId ?? input.eventId,
    context: input.context,
  }
  return { site, alias, reading: withoutAlias(readTrack(call, { context })) }
}

function read(input: Readonly<Record<string, unknown>>): AliasCall | { findings: Finding[] } {
  try {
    return readAlias(input)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    return {
      findings: (error.options.errors ?? []).map(({ field, message }) => toFinding(input, field, message)),
    }
  }
}

function toFinding(input: Readonly<Record<string, unknown>>, field: string, message: string): Finding {
  const sent = input[field.split('.', 1)[0] ?? field]
  return {
    code: 'malformed_event',
    field,
    message: `${field} ${message}.`,
    expected: 'an identifier',
    actual: isRecord(sent) ? 'object' : sent === undefined ? null : typeof sent,
  }
}
