import { clusterNamePattern } from '../../store/cluster/cluster.ts'
import { isNodeRole, type NodeRole, nodeRoles } from '../node/node-roles.ts'
import { ConfigError, type Env } from './environment.ts'

export const hasSharedLog = (env: Env) => (env.ASSAY_LOG_URL ?? '') !== ''

export function readRoles(env: Env): readonly NodeRole[] {
  const text = env.ASSAY_ROLES
  if (text === undefined) return nodeRoles
  const named = text.split(',').map((one) => one.trim())
  const unknown = named.find((one) => one !== '' && !isNodeRole(one))
  if (unknown !== undefined) {
    throw new ConfigError(
      `ASSAY_ROLES takes ${nodeRoles.join(', ')}, with commas between them, and not "${unknown}".`,
    )
  }
  const chosen = nodeRoles.filter((role) => named.includes(role))
  const missing = nodeRoles.filter((role) => !named.includes(role))
  if (chosen.length === 0) {
    throw new ConfigError(
      `ASSAY_ROLES is empty, so this node would do nothing. Name some of ${nodeRoles.join(', ')}, or unset it for all.`,
    )
  }
  if (missing.length === 0 || hasSharedLog(env)) return chosen
  throw new ConfigError(
    `ASSAY_ROLES leaves out ${missing.join(', ')}. Without ASSAY_LOG_URL there is one node, and it does everything: unset ASSAY_ROLES, or set ASSAY_LOG_URL.`,
  )
}

export function readCluster(env: Env): string | undefined {
  const name = env.ASSAY_CLICKHOUSE_CLUSTER ?? ''
  if (name === '') return undefined
  if (!clusterNamePattern.test(name)) {
    throw new ConfigError(
      'ASSAY_CLICKHOUSE_CLUSTER takes a name of up to 64 letters, digits, hyphens and underscores that begins with a letter.',
    )
  }
  if ((env.ASSAY_CLICKHOUSE_URL ?? '') !== '') return name
  throw new ConfigError(
    'ASSAY_CLICKHOUSE_CLUSTER needs ClickHouse servers, and the events store is embedded. Set ASSAY_CLICKHOUSE_URL to one of them, or unset ASSAY_CLICKHOUSE_CLUSTER.',
  )
}
