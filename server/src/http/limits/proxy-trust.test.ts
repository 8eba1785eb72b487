import { requestMagicLink } from '@assay/contract'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { readConfig } from '../../config.ts'
import { silentLogger } from '../../platform/logging/logger.ts'
import { nodeRoles } from '../../platform/node/node-roles.ts'
import { anyCharacter } from '../../testing/any-character.ts'
import { caller, startWorld, type World } from '../../testing/harness.ts'
import { createApplication } from '../application.ts'
import { createLimits } from './limits.ts'
import { proxyTrust } from './proxy-trust.ts'
import { sourceOf } from './source-address.ts'

const signInLimit = 30
const attempts = 60
const eventLimits = { eventsPerSecond: 1_000, eventsPerSecondPerAddress: 200 }
const now = () => 1_900_000_000_000
const callsPerMinute = { ...readConfig({}).callsPerMinute, signIn: signInLimit }
const proxiesOf = (setting: string) => readConfig({ ASSAY_TRUST_PROXY: setting }).trustProxy

type Forwarded = (attempt: number) => string
const client = '203.0.113.7'
const forged: Forwarded = (attempt) => `198.51.100.${attempt}`
const behindForged: Forwarded = (attempt) => `${forged(attempt)}, ${client}`

/** How many of many calls pass when each claims another source address. */
async function passed(
  call: (headers: Record<string, string>) => Promise<number>,
  forwarded: Forwarded,
): Promise<number> {
  let count = 0
  for (let attempt = 0; attempt < attempts; attempt++) {
    if ((await call({ 'x-forwarded-for': forwarded(attempt) })) < 300) count++
  }
  return count
}

describe('a forged forwarded address does not get around the limit of sign-ins', () => {
  let world: World | null = null
  afterEach(async () => {
    await world?.close()
    world = null
  })

  test.each([
    ['with one proxy', '1'],
    ['with a proxy by its network', 'loopback'],
  ])(
    'of the product, %s',
    async (_how, setting) => {
      world = await startWorld({ now, config: { trustProxy: proxiesOf(setting), callsPerMinute } })
      const call = caller(world.product.url, null)
      const body = { email: 'guessed@example.com' }
      const signIn = async (headers: Record<string, string>) =>
        (await call(requestMagicLink, { body }, { headers })).status
      expect(await passed(signIn, behindForged)).toBe(signInLimit)
    },
    180_000,
  )

  test.each<[string, string, Forwarded, number]>([
    ['without a proxy', '', forged, signInLimit],
    ['with one proxy', '1', behindForged, signInLimit],
    ['with two proxies', '2', (attempt) => `${behindForged(attempt)}, 192.0.2.9`, signInLimit],
    [
      'with proxies by their networks',
      '127.0.0.1, 192.0.2.0/24',
      (attempt) => `${behindForged(attempt)}, 192.0.2.${attempt}`,
      signInLimit,
    ],
    ['around the proxy, where it is named by its network', '10.0.0.0/8', forged, signInLimit],
    ['with a port behind the address', '1', (attempt) => `${client}:${40_000 + attempt}`, signInLimit],
    ['out of one network of version 6', '1', (attempt) => `2001:db8:1:2::${attempt}`, signInLimit],
    ['with what is no address', '1', (attempt) => `nobody-${attempt}`, signInLimit],
    [
      'except for clients that the proxy distinguishes',
      '1',
      (attempt) => `1.1.1.1, 203.0.113.${attempt}`,
      attempts,
    ],
  ])('%s', async (_how, setting, forwarded, expected) => {
    const limits = createLimits(now, eventLimits, callsPerMinute)
    const app = await createApplication({
      limits,
      firstSite: async () => null,
      errorsUrl: () => '',
      publicUrl: () => '',
      now: () => 0,
      newRequestId: () => 'req',
      proxies: proxiesOf(setting),
      logger: silentLogger,
      logRequests: false,
      roles: nodeRoles,
      isDraining: () => false,
    })
    app.get('/', async (request) => limits.charge('signIn', request.ip))
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    expect(await passed(async (headers) => (await fetch(url, { headers })).status, forwarded)).toBe(expected)
    await app.close()
  })
})

describe('the setting of the proxies', () => {
  test.each(['true', 'yes', '1.5', '-1', '11', '0.0.0.0/0', '10.0.0.0/33', 'proxy.example', '10.0.0.0/8,x'])(
    'refuses %j and says what to set',
    (text) => {
      expect(() => readConfig({ ASSAY_TRUST_PROXY: text })).toThrow('ASSAY_TRUST_PROXY')
    },
  )

  test('names networks by address, by range and by name', () => {
    const isTrusted = proxyTrust(['10.0.0.0/8', '2001:db8::/32', '192.0.2.1', 'loopback'])
    for (const address of ['10.1.2.3', '2001:db8::1', '192.0.2.1', '127.0.0.1', '::1', '::ffff:10.1.2.3']) {
      expect(isTrusted(address, 0), address).toBe(true)
    }
    for (const address of ['11.0.0.1', '192.0.2.2', '2001:db9::1', 'unknown', '', '10.0.0.1:80']) {
      expect(isTrusted(address, 0), address).toBe(false)
    }
  })
})

test('an address is counted as one however it is written, and what is none is counted together', () => {
  expect(sourceOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
  expect(sourceOf('192.0.2.1:443')).toBe('192.0.2.1')
  expect(sourceOf('[2001:db8::1]:443')).toBe(sourceOf('2001:0DB8:0:0:ffff::1%eth0'))
  expect(sourceOf('2001:db8:0:1::1')).not.toBe(sourceOf('2001:db8:0:2::1'))
  const same = (address: string) => expect(sourceOf(`::ffff:${address}`)).toBe(sourceOf(address))
  fc.assert(fc.property(fc.ipV4(), (address) => void same(address)))
  const short = (text: string) => expect(sourceOf(text).length).toBeLessThan(40)
  fc.assert(fc.property(fc.string({ unit: anyCharacter }), (text) => void short(text)))
  const whole = (address: string) =>
    expect(sourceOf(address)).toMatch(/^(?:[0-9a-f]+(?::[0-9a-f]+){3}::\/64|\d+(?:\.\d+){3})$/)
  fc.assert(fc.property(fc.ipV6(), (address) => void whole(address)))
})
