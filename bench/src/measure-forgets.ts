import { batch, identify, requestForget, type SubjectRequest } from '@assay/contract'
import type { Bench } from './bench.ts'
import { type Call, caller, followed, keepSending, login, secondsOf } from './measure-privacy.ts'
import { startProduct, stopProduct } from './product.ts'
import type { Figure } from './report.ts'
import type { Side } from './side.ts'

/** What an ordinary visitor leaves behind: a device and a user id, some events, an address among the traits. */
const eventsOfPerson = 20
const peoplePerBatch = 25
const forgetsMax = 1_000
const eventsPerSecond = 100

/**
 * Many people request erasure at once, while others keep sending. Each request has the 60 seconds of seed B.
 */
export async function measureForgets(bench: Bench, side: Side, wanted: number): Promise<readonly Figure[]> {
  const forgets = Math.min(Math.ceil(wanted), forgetsMax)
  const product = await startProduct(await bench.product(side, 'forgets'))
  const call = caller(product)
  try {
    await plant(call, forgets)
    bench.options.print(`${forgets} people with ${eventsOfPerson} events each`)
    const others = keepSending(call, eventsPerSecond)
    const asked = await Promise.all(
      Array.from({ length: forgets }, (_, index) => {
        const identifiers = [{ type: 'user_id', value: userOf(index) }]
        return call<SubjectRequest>(requestForget.path, { identifiers, regime: 'gdpr' })
      }),
    )
    const done: SubjectRequest[] = []
    for (const one of asked) done.push(await followed(call, one))
    const load = await others.stop()
    return figuresOf(done, load.perSecond)
  } finally {
    await stopProduct(product)
  }
}

function figuresOf(done: readonly SubjectRequest[], perSecond: number): Figure[] {
  const rows = done.map(({ forget }) => forget?.counts.events ?? 0)
  return [
    {
      work: `forget of ${done.length} people asked for at once, the last of them`,
      value: Math.max(...done.map(secondsOf)),
      unit: 's',
      target: { of: 'value', most: 60 },
    },
    {
      work: 'of them within their 60 seconds',
      value: done.filter(({ sla_met }) => sla_met === true).length / done.length,
      unit: 'share',
      target: { of: 'value', least: 1 },
    },
    {
      work: 'events taken away, of the person with the fewest',
      value: Math.min(...rows),
      unit: 'events',
      target: { of: 'value', least: eventsOfPerson },
    },
    { work: 'events accepted meanwhile', value: perSecond, unit: 'events/s' },
  ]
}

const userOf = (index: number) => `forgotten-user-${index}`

async function plant(call: Call, people: number): Promise<void> {
  for (let first = 0; first < people; first += peoplePerBatch) {
    const some = Array.from({ length: Math.min(peoplePerBatch, people - first) }, (_, next) => first + next)
    const ofUser = (index: number) =>
      Array.from({ length: eventsOfPerson }, () => ({
        ...login(userOf(index)),
        anonymous_id: `forgotten-device-${index}`,
      }))
    await call(batch.path, { batch: some.flatMap(ofUser) })
    for (const index of some) {
      const traits = { email: `forgotten-${index}@example.com` }
      await call(identify.path, {
        user_id: userOf(index),
        anonymous_id: `forgotten-device-${index}`,
        traits,
      })
    }
  }
}
