import { getReceipt, Receipt } from '@assay/contract'
import { Type } from 'typebox'
import { tool } from '../tool.ts'

export const explainReceipt = tool({
  name: 'explain_receipt',
  title: 'Explain a receipt',
  description:
    'Everything that happened to one event that was sent: name and mapping, contract, verdict and issues, time, ' +
    'duplicate or not, person, and whether it is counted; first in words, then as data. Takes the event_id.',
  input: Type.Object(
    { event_id: Type.String({ minLength: 1, maxLength: 200 }) },
    { additionalProperties: false },
  ),
  output: Type.Object({ explanation: Type.Array(Type.String()), receipt: Receipt }),
  effect: 'reads',
  async run({ event_id }, { client }) {
    const receipt = await client.call(getReceipt, { params: { event_id } })
    return { explanation: explain(receipt), receipt }
  },
})

function explain(receipt: Receipt): string[] {
  const { name, contract, outcome, issues, time, dedup, person, state, read_as: readAs } = receipt
  const isRenamed = name.sent !== name.stored
  return [
    isRenamed
      ? `It was sent as ${name.sent} and is ${name.stored}, by the mapping rule ${name.rule ?? 'of its contract'}.`
      : `It was sent as ${name.sent}.`,
    contract.version === ''
      ? 'No live contract applied to it.'
      : `It was validated by ${contract.name} ${contract.version}: ${outcome}.`,
    ...issues.map(({ code, field, message }) => `${code}${field ? ` (${field})` : ''}: ${message}`),
    ...(time.correction_ms === 0
      ? []
      : [`Its clock was off: the time was corrected by ${time.correction_ms} ms.`]),
    ...(dedup.duplicate_of === null ? [] : [`It repeats ${dedup.duplicate_of}.`]),
    ...(person.person_id === ''
      ? []
      : [`It belongs to ${person.person_id}, found by ${person.resolved_by}.`]),
    ...(readAs === null ? [] : [`A back-fill makes reports count it as ${readAs.name}.`]),
    stateWords[state],
    receipt.counted ? 'Reports count it.' : `Reports do not count it: ${whyNot(receipt)}.`,
  ]
}

function whyNot({ not_counted_because: reason, bot_reason, dedup }: Receipt): string {
  if (reason === 'bot') return `it was sent by a bot (${bot_reason})`
  if (reason === 'duplicate_order')
    return `its order is already counted, as ${dedup.duplicate_of ?? 'another event'}`
  if (reason === 'superseded') return `${dedup.superseded_by}, which a server sent, counts instead`
  return `it is ${reason === 'dead_letter' ? 'a dead letter' : reason}`
}

const stateWords: Readonly<Record<Receipt['state'], string>> = {
  stored: 'It is stored.',
  held: 'It is in quarantine until someone releases or discards it.',
  discarded: 'It was quarantined, and discarded.',
  expired: 'It was quarantined, and expired after 30 days without a decision.',
  dead_letter: 'A store refused it: it waits as a dead letter until someone loads or discards it.',
}
