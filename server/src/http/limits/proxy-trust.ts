import { BlockList, isIP } from 'node:net'

/** The proxies in front: how many there are, one behind the other, or the networks that they are in. 0 is none. */
export type Proxies = number | readonly string[]

/** Whether a forwarded address is believed: that of the one who connects is at hop 0, that in front of it at hop 1. */
export type ProxyTrust = (address: string, hop: number) => boolean

/** Names for networks that everybody writes down wrong once. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Fastify walks from the socket outwards and stops at the first address that is not trusted. That one is the client's:
 * whatever stands further left in the header was written by whoever sent the request.
 */
export function proxyTrust(proxies: Proxies): ProxyTrust {
  if (typeof proxies === 'number') return (_address, hop) => hop < proxies
  const networks = new BlockList()
  for (const text of proxies.flatMap((name) => namedNetworks[name] ?? [name])) {
    const { address, prefix, family } = readNetwork(text)
    networks.addSubnet(address, prefix, family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && networks.check(address, familyOf(version))
  }
}

const familyOf = (version: number) => (version === 6 ? 'ipv6' : 'ipv4')

export function isNetwork(text: string): boolean {
  if (Object.hasOwn(namedNetworks, text)) return true
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  // A network of no bits is everybody, which is what must not be believed.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bitsOf(version))
}

const bitsOf = (version: number) => (version === 6 ? 128 : 32)

function readNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', prefix] = text.split('/')
  const version = isIP(address)
  return { address, prefix: Number(prefix ?? bitsOf(version)), family: familyOf(version) }
}
