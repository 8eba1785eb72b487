import type { Payment, PaymentMemory } from '@assay/server/webhooks'
import type { Control } from '../store/control.ts'
import { coverWaiting, type Whose } from './delivery-store.ts'
import { selectMemories, upsertMemory } from './payment-store.ts'

/** A payment can be refunded for half a year with most cards; its names are forgotten after a year and some days. */
export const paymentDays = 400

const keyOf = (reference: string) => `payment:${reference}`

/** Under which a delivery waits. A refund waits for its payment, and no other report makes it superfluous. */
export function waitKey({ role, references: [first = ''] }: Payment): string {
  return role === 'refund' ? `refund-of:${first}` : keyOf(first)
}

/** What is known of a payment by any of its names, and by the names that those lead to. */
export async function paymentMemories(
  control: Control,
  whose: Whose,
  references: readonly string[],
): Promise<PaymentMemory[]> {
  const found = await select(control, whose, references)
  const more = found.flatMap((memory) => memory.references).filter((name) => !references.includes(name))
  return more.length === 0 ? found : select(control, whose, [...references, ...more])
}

async function select(
  control: Control,
  whose: Whose,
  references: readonly string[],
): Promise<PaymentMemory[]> {
  // boundary: written below, from the same type.
  return (await selectMemories(control, whose, [...new Set(references)].map(keyOf))) as PaymentMemory[]
}

/** Stored under each of its names; deliveries that wait for a report of it are covered once it is counted. */
export async function rememberPayment(
  control: Control,
  whose: Whose,
  memory: PaymentMemory,
  at: Date,
): Promise<void> {
  for (const reference of memory.references) {
    await upsertMemory(control, whose, keyOf(reference), memory, at)
    if (memory.isCounted) await coverWaiting(control, whose, keyOf(reference))
  }
}
