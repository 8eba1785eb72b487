import type { Outcome } from '@assay/contract'
import { pick, type Random } from '../random.ts'
import type { Expected, Properties } from './wire.ts'

const expect = (outcome: Outcome, code: string | null, storedAs: string | null = null): Expected => ({
  outcome,
  code,
  storedAs,
})

export const accepted = expect('accept', null)
export const mappedToPurchase = expect('accept', null, '$purchase')
export const mappedToSignup = expect('accept', null, '$signup')
export const coerced = expect('warn', 'type_coerced')
export const otherType = expect('warn', 'unexpected_type')

/**
 * An invalid event. It is sent in addition to the good ones, never in place of one, so the totals stay true.
 */
type BadEvent = {
  readonly event: string
  readonly properties: Properties
  readonly expected: Expected
  readonly isAnonymous?: boolean
}

const quarantined = (code: string) => expect('quarantine', code)
const rejected = (code: string) => expect('reject', code)

const makers: readonly ((random: Random) => BadEvent)[] = [
  (random) => ({
    event: pick(random, ['wishlist_toggled', 'ab_bucket_seen', 'scroll_depth_75', 'video_25']),
    properties: { value: Math.floor(random() * 100) },
    expected: expect('warn', 'unknown_event'),
  }),
  (random) => ({
    event: pick(random, ['Checkout → Step 2', 'CTA: Hero (blue)', '¡oferta!']),
    properties: { step: 2 },
    expected: expect('warn', 'invalid_name'),
  }),
  () => ({
    event: '$checkout_started',
    properties: { amount: 10, currency: 'EUR' },
    expected: rejected('reserved_name'),
  }),
  (random) => ({
    event: '$purchase',
    properties: { amount: Math.ceil(random() * 200), order_id: 'broken' },
    expected: rejected('required_missing'),
  }),
  () => ({
    event: '$signup',
    properties: { method: null, plan: 'trial' },
    expected: rejected('required_missing'),
  }),
  () => ({
    event: '$purchase',
    properties: { amount: { value: 12.5 }, currency: 'EUR' },
    expected: rejected('type_mismatch'),
  }),
  (random) => ({
    event: '$purchase',
    properties: { amount: Math.ceil(random() * 200), currency: 'EURO' },
    expected: quarantined('value_not_allowed'),
  }),
  () => ({
    event: '$click',
    properties: { element: 'lost' },
    expected: rejected('missing_identifier'),
    isAnonymous: true,
  }),
]

export function makeBadEvent(random: Random): BadEvent {
  return pick(random, makers)(random)
}
