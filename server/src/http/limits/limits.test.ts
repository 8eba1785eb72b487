import { Problem } from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { createLimits } from './limits.ts'
import { sourceOf } from './source-address.ts'

const calls = { apiRead: 3, apiWrite: 1, controlRead: 5, controlWrite: 2, person: 6, signIn: 7, open: 4 }

const eventLimits = { eventsPerSecond: 1000, eventsPerSecondPerAddress: 200 }
/** A back end, so that only the bucket of the site counts. */
const server = { keyClass: 'secret', address: '192.0.2.1' } as const
const browserAt = (address: string) => ({ keyClass: 'public', address }) as const

function at(startMs: number) {
  const clock = { ms: startMs }
  return { clock, limits: createLimits(() => clock.ms, eventLimits, calls) }
}

function refusalOf(act: () => unknown): Problem {
  try {
    act()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}

describe('calls', () => {
  test('are counted a minute and key, and the next minute starts again', () => {
    const { clock, limits } = at(60_000)
    expect(limits.charge('apiRead', 'a')).toEqual({ limit: 3, remaining: 2, resetSeconds: 120 })
    limits.charge('apiRead', 'a')
    limits.charge('apiRead', 'a')
    const refusal = refusalOf(() => limits.charge('apiRead', 'a'))
    expect(refusal.slug).toBe('rate-limited')
    expect(refusal.options.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-remaining': '0' })
    expect(limits.charge('apiRead', 'b')?.remaining).toBe(2)
    expect(limits.charge('apiWrite', 'a')?.remaining).toBe(0)
    clock.ms = 120_000
    expect(limits.charge('apiRead', 'a')?.remaining).toBe(2)
  })

  test('without a limit of their class are free', () => {
    expect(at(0).limits.charge('none', 'a')).toBeNull()
  })
})

describe('events', () => {
  test('may come in a burst of two seconds, all of a request or none', () => {
    const { limits } = at(0)
    expect(limits.chargeEvents(server, [['site', 1500]]).remaining).toBe(500)
    expect(refusalOf(() => limits.chargeEvents(server, [['site', 501]])).slug).toBe('rate-limited')
    expect(limits.chargeEvents(server, [['site', 500]]).remaining).toBe(0)
  })

  test('flow at the given rate afterwards, each site for itself', () => {
    const { clock, limits } = at(0)
    limits.chargeEvents(server, [['site', 2000]])
    clock.ms = 100
    expect(limits.chargeEvents(server, [['site', 100]]).remaining).toBe(0)
    expect(refusalOf(() => limits.chargeEvents(server, [['site', 1]])).options.headers).toMatchObject({
      'retry-after': '1',
    })
    expect(limits.chargeEvents(server, [['other', 1000]]).remaining).toBe(1000)
  })

  test('are neither lost nor flooded when the clock jumps', () => {
    const { clock, limits } = at(1_000_000)
    limits.chargeEvents(server, [['site', 2000]])
    clock.ms = 0
    expect(refusalOf(() => limits.chargeEvents(server, [['site', 1]])).slug).toBe('rate-limited')
    clock.ms = 1000
    expect(limits.chargeEvents(server, [['site', 1000]]).remaining).toBe(0)
  })
})

describe('events of public senders', () => {
  test('never take from the bucket of secret senders, nor the other way round', () => {
    const { limits } = at(0)
    for (let address = 0; address < 3; address++) {
      attempt(() => limits.chargeEvents(browserAt(`192.0.2.${address}`), [['site', 1000]]))
    }
    expect(refusalOf(() => limits.chargeEvents(browserAt('192.0.2.9'), [['site', 1]])).slug).toBe(
      'rate-limited',
    )
    expect(limits.chargeEvents(server, [['site', 2000]]).remaining).toBe(0)
  })

  test('are also limited by address, whatever site they are for, and a whole batch fits', () => {
    const { clock, limits } = at(0)
    expect(limits.chargeEvents(browserAt('192.0.2.1'), [['a', 1000]])).toMatchObject({
      limit: 1000,
      remaining: 0,
    })
    const refusal = refusalOf(() => limits.chargeEvents(browserAt('192.0.2.1'), [['b', 1]]))
    expect(refusal.options.detail).toContain('200 events a second for your address')
    expect(limits.chargeEvents(browserAt('192.0.2.2'), [['b', 1]]).remaining).toBe(999)
    clock.ms = 1000
    expect(limits.chargeEvents(browserAt('192.0.2.1'), [['b', 200]]).remaining).toBe(0)
  })

  test('of one /64 of IPv6 count as one address', () => {
    expect(sourceOf('2001:db8:1:2:3:4:5:6')).toBe(sourceOf('2001:0db8:1:2::9'))
    expect(sourceOf('2001:db8:1:3::1')).not.toBe(sourceOf('2001:db8:1:2::1'))
    expect(sourceOf('::ffff:192.0.2.7')).toBe('192.0.2.7')
    expect(sourceOf('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
    expect(sourceOf('::1')).toBe('0:0:0:0::/64')
  })

  test('take nothing from any bucket when one of them is short', () => {
    const { limits } = at(0)
    expect(
      refusalOf(() =>
        limits.chargeEvents(server, [
          ['a', 2000],
          ['b', 2001],
        ]),
      ).slug,
    ).toBe('rate-limited')
    expect(
      limits.chargeEvents(server, [
        ['a', 2000],
        ['b', 2000],
      ]).remaining,
    ).toBe(0)
  })

  test('show the bucket with the least left', () => {
    const { limits } = at(0)
    const from = browserAt('192.0.2.1')
    expect(limits.chargeEvents(from, [['site', 100]])).toMatchObject({ limit: 1000, remaining: 900 })
    for (let address = 2; address < 4; address++)
      limits.chargeEvents(browserAt(`192.0.2.${address}`), [['site', 900]])
    expect(limits.chargeEvents(from, [['site', 50]])).toMatchObject({ limit: 2000, remaining: 50 })
  })

  test('from any number of addresses are remembered within bounds', () => {
    const { limits } = at(0)
    const first = browserAt('192.0.2.1')
    limits.chargeEvents(first, [['site', 1000]])
    expect(refusalOf(() => limits.chargeEvents(first, [['site', 1]])).slug).toBe('rate-limited')
    for (let n = 0; n < 50_000; n++)
      limits.chargeEvents(browserAt(`10.0.${n >> 8}.${n & 255}`), [['site', 0]])
    expect(limits.chargeEvents(first, [['site', 1]]).remaining).toBe(999)
  })
})

function attempt(act: () => unknown): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
  }
}

describe('several nodes', () => {
  const nodes = () => {
    const clock = { ms: 60_000 }
    const node = () => createLimits(() => clock.ms, eventLimits, calls)
    return { clock, here: node(), there: node() }
  }

  test('share the calls of a minute and the events of a site, exchanged in between', () => {
    const { here, there } = nodes()
    there.charge('apiRead', 'a')
    there.charge('apiRead', 'a')
    there.chargeEvents(server, [['site', 1900]])
    here.addUsage(there.takeUsage())
    expect(here.charge('apiRead', 'a')?.remaining).toBe(0)
    expect(refusalOf(() => here.charge('apiRead', 'a')).slug).toBe('rate-limited')
    expect(refusalOf(() => here.chargeEvents(server, [['site', 101]])).slug).toBe('rate-limited')
    expect(here.chargeEvents(server, [['site', 100]]).remaining).toBe(0)
  })

  test('share what floods from one address, and not what ordinary visitors send', () => {
    const { here, there } = nodes()
    there.chargeEvents(browserAt('192.0.2.1'), [['site', 900]])
    there.chargeEvents(browserAt('192.0.2.2'), [['site', 9]])
    const usage = there.takeUsage()
    expect(usage.events).toEqual([
      ['public site', 909],
      ['address 192.0.2.1', 900],
    ])
    here.addUsage(usage)
    expect(refusalOf(() => here.chargeEvents(browserAt('192.0.2.1'), [['other', 101]])).slug).toBe(
      'rate-limited',
    )
  })

  test('report each charge once, and never what other nodes reported', () => {
    const { here, there } = nodes()
    there.charge('apiRead', 'a')
    here.addUsage(there.takeUsage())
    expect(there.takeUsage()).toMatchObject({ calls: [], events: [] })
    expect(here.takeUsage()).toMatchObject({ calls: [], events: [] })
  })

  test('never show less than zero, and start again with the minute', () => {
    const { clock, here, there } = nodes()
    for (let call = 0; call < 3; call++) {
      here.charge('apiRead', 'a')
      there.charge('apiRead', 'a')
    }
    const late = there.takeUsage()
    here.addUsage(late)
    expect(here.peek('apiRead', 'a')?.remaining).toBe(0)
    clock.ms = 120_000
    here.addUsage(late)
    expect(here.charge('apiRead', 'a')?.remaining).toBe(2)
  })
})
