import { Problem } from '@assay/contract'
import { describe, expect, test } from 'vitest'
import { createLimits } from './limits.ts'

const calls = { apiRead: 3, apiWrite: 1, controlRead: 5, controlWrite: 2, person: 6, signIn: 7, open: 4 }

function at(startMs: number) {
  const clock = { ms: startMs }
  return { clock, limits: createLimits(() => clock.ms, 1000, calls) }
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
  test('are counted a minute and key, and the next minute starts anew', () => {
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
    expect(limits.chargeEvents('site', 1500).remaining).toBe(500)
    expect(refusalOf(() => limits.chargeEvents('site', 501)).slug).toBe('rate-limited')
    expect(limits.chargeEvents('site', 500).remaining).toBe(0)
  })

  test('flow at the given rate afterwards, each site for itself', () => {
    const { clock, limits } = at(0)
    limits.chargeEvents('site', 2000)
    clock.ms = 100
    expect(limits.chargeEvents('site', 100).remaining).toBe(0)
    expect(refusalOf(() => limits.chargeEvents('site', 1)).options.headers).toMatchObject({
      'retry-after': '1',
    })
    expect(limits.chargeEvents('other', 1000).remaining).toBe(1000)
  })

  test('are neither lost nor flooded when the clock jumps', () => {
    const { clock, limits } = at(1_000_000)
    limits.chargeEvents('site', 2000)
    clock.ms = 0
    expect(refusalOf(() => limits.chargeEvents('site', 1)).slug).toBe('rate-limited')
    clock.ms = 1000
    expect(limits.chargeEvents('site', 1000).remaining).toBe(0)
  })
})

describe('several nodes', () => {
  const nodes = () => {
    const clock = { ms: 60_000 }
    const node = () => createLimits(() => clock.ms, 1000, calls)
    return { clock, here: node(), there: node() }
  }

  test('share the calls of a minute and the events of a site, told in between', () => {
    const { here, there } = nodes()
    there.charge('apiRead', 'a')
    there.charge('apiRead', 'a')
    there.chargeEvents('site', 1900)
    here.addUsage(there.takeUsage())
    expect(here.charge('apiRead', 'a')?.remaining).toBe(0)
    expect(refusalOf(() => here.charge('apiRead', 'a')).slug).toBe('rate-limited')
    expect(refusalOf(() => here.chargeEvents('site', 101)).slug).toBe('rate-limited')
    expect(here.chargeEvents('site', 100).remaining).toBe(0)
  })

  test('tell each charge once, and never what others told them', () => {
    const { here, there } = nodes()
    there.charge('apiRead', 'a')
    here.addUsage(there.takeUsage())
    expect(there.takeUsage()).toMatchObject({ calls: [], events: [] })
    expect(here.takeUsage()).toMatchObject({ calls: [], events: [] })
  })

  test('never show less than nothing, and begin anew with the minute', () => {
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
