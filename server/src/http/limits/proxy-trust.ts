import { BlockList, isIP } from 'node:net'

/** The proxies in front: their number in a chain, or their networks. 0 is none. */
export type Proxies = number | readonly string[]

/** Whether a forwarded address is trusted: the connecting address is hop 0, the one before it hop 1. */
type ProxyTrust = (address: string, hop: number) => boolean

/** Names of networks that are easy to write wrong. */
const namedNetworks: Readonly<Record<string, readonly string[]>> = {
  loopback: ['127.0.0.0/8', '::1/128'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
}

/**
 * Fastify walks from the socket outwards and stops at the first untrusted address, which is the client's:
 * everything further left in the header was written by the sender of the request.
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
  // A network of no bits is everyone, which must not be trusted.
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= bitsOf(version))
}

const bitsOf = (version: number) => (version === 6 ? 128 : 32)

function readNetwork(text: string): { address: string; prefix: number; family: 'ipv4' | 'ipv6' } {
  const [address = '', prefix] = text.split('/')
  const version = isIP(address)
  return { address, prefix: Number(prefix ?? bitsOf(version)), family: familyOf(version) }
}
