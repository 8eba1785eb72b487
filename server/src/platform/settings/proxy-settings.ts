import { isNetwork, type Proxies } from '../../http/limits/proxy-trust.ts'
import { ConfigError, type Env, readInteger } from './environment.ts'

/**
 * No installation has more proxies; a larger number is a mistake that would let callers choose their address.
 */
const hopsMax = 10

export function readProxies(env: Env, name: string): Proxies {
  const text = (env[name] ?? '').trim()
  if (text === '' || text === 'false') return 0
  const advice = `Set the number of proxies in front, such as 1, or their networks, such as 10.0.0.0/8,loopback.`
  if (text === 'true') {
    throw new ConfigError(`${name}=true would believe any address that a caller claims. ${advice}`)
  }
  if (/^\d+$/.test(text)) return readInteger(env, name, 0, 0, hopsMax)
  const networks = text.split(/[\s,]+/).filter((network) => network !== '')
  const wrong = networks.find((network) => !isNetwork(network))
  if (wrong === undefined) return networks
  throw new ConfigError(`${name} must name networks, and "${wrong}" is none. ${advice}`)
}
