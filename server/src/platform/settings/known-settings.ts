import { nearestName } from '../text/nearest-name.ts'
import { ConfigError, type Env } from './environment.ts'

/** Of the command, of the tests, and what Kubernetes sets for a service of this name. */
const notSettings =
  /^ASSAY_(?:URL|KEY|TEST_\w+|(?:\w+_)?SERVICE_HOST|(?:\w+_)?SERVICE_PORT(?:_\w+)?|(?:\w+_)?PORT_\d+_\w+)$/

/** A misspelt setting would be ignored, and its absence found out much later. */
export function requireKnown(env: Env, known: ReadonlySet<string>): void {
  const unknown = Object.keys(env).find(
    (name) => name.startsWith('ASSAY_') && !known.has(name) && !notSettings.test(name),
  )
  if (unknown === undefined) return
  const nearest = nearestName(unknown, known)
  const hint = nearest === undefined ? 'docs/settings.md lists them.' : `Is ${nearest} meant?`
  throw new ConfigError(`There is no setting ${unknown}. ${hint}`)
}
