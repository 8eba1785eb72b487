import { readBlocks } from '../../analytics/tally/native-blocks.ts'
import { paymentColumns } from './value-store.ts'

/** Payments as columns, as `selectPayments` answers them. */
export type PaymentRows = {
  count: number
  /** Two halves of a key for each, the low one first; nothing but 0 for none. */
  person: Uint32Array
  session: Uint32Array
  ms: Float64Array
  /** Less than nothing for a refund. */
  paid: Float64Array
  /** 1 for a purchase of the current period. */
  isOrder: Uint8Array
  cohort: readonly string[]
}

const types = paymentColumns.map(([, type]) => type)

export function readPayments(bytes: Uint8Array<ArrayBuffer>): PaymentRows {
  const blocks = readBlocks(bytes, types)
  const count = blocks.reduce((sum, { rows }) => sum + rows, 0)
  const cohorts: string[] = []
  const read = {
    count,
    person: new Uint32Array(count * 2),
    session: new Uint32Array(count * 2),
    ms: new Float64Array(count),
    paid: new Float64Array(count),
    isOrder: new Uint8Array(count),
    cohort: cohorts,
  }
  let first = 0
  for (const { rows, columns } of blocks) {
    const [person, session, ms, paid, order, cohort] = columns
    if (person?.kind !== 'pairs' || session?.kind !== 'pairs' || order?.kind !== 'bytes') continue
    if (ms?.kind !== 'pairs' || paid?.kind !== 'pairs' || cohort?.kind !== 'texts') continue
    read.person.set(person.pairs, first * 2)
    read.session.set(session.pairs, first * 2)
    read.ms.set(new Float64Array(ms.pairs.buffer), first)
    read.paid.set(new Float64Array(paid.pairs.buffer), first)
    read.isOrder.set(order.bytes, first)
    for (const number of cohort.numbers) cohorts.push(cohort.texts[number] ?? '')
    first += rows
  }
  return read
}
