import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { checkClickHouse } from '../stores/clickhouse-store.ts'
import { clusterNamePattern } from '../stores/cluster-store.ts'
import { checkPostgres } from '../stores/postgres-store.ts'

const usage = 'assay stores check'

export const storesCommand: Command = {
  name: 'stores',
  summary: 'check whether a Postgres and a ClickHouse server fit, before the product uses them',
  usage: `${usage} [--postgres <url>] [--clickhouse <url> [--cluster <name>]]`,
  options: {
    postgres: { type: 'string', value: 'url', help: 'as ASSAY_POSTGRES_URL (else that)' },
    clickhouse: { type: 'string', value: 'url', help: 'as ASSAY_CLICKHOUSE_URL (else that)' },
    cluster: { type: 'string', value: 'name', help: 'as ASSAY_CLICKHOUSE_CLUSTER (else that)' },
  },
  examples: ['assay stores check', 'assay stores check --postgres postgres://assay@db.internal/assay'],
  run: check,
}

async function check({ options, positionals, world, paint }: Context): Promise<Outcome> {
  if (positionals.length !== 1 || positionals[0] !== 'check') throw misuse('Say what to do: check.', usage)
  const postgres = options.text('postgres') ?? world.environment.ASSAY_POSTGRES_URL
  const clickhouse = options.text('clickhouse') ?? world.environment.ASSAY_CLICKHOUSE_URL
  if (postgres === undefined && clickhouse === undefined) {
    throw misuse(
      'There is no store to check.',
      'Name one with --postgres or --clickhouse, or set its variable.',
    )
  }
  if (clickhouse !== undefined) requireAddress('clickhouse', clickhouse, ['http:', 'https:'])
  if (postgres !== undefined) requireAddress('postgres', postgres, ['postgres:', 'postgresql:'])
  const cluster = options.text('cluster') ?? world.environment.ASSAY_CLICKHOUSE_CLUSTER
  if (cluster !== undefined && !clusterNamePattern.test(cluster)) {
    throw misuse('--cluster takes letters, digits, hyphens and underscores.', usage)
  }
  const findings = [
    ...(postgres === undefined ? [] : await checkPostgres(postgres, world.now)),
    ...(clickhouse === undefined ? [] : await checkClickHouse(clickhouse, cluster, world)),
  ]
  const marks = { fine: paint('green', 'ok  '), warn: paint('yellow', 'warn'), fail: paint('red', 'fail') }
  const lines = findings.flatMap(({ store, what, outcome, found, advice }) => [
    `${marks[outcome]}  ${store}: ${what}: ${found}`,
    ...(advice === null ? [] : [`      ${advice}`]),
  ])
  const isFine = findings.every(({ outcome }) => outcome !== 'fail')
  return { exitCode: isFine ? exitCodes.fine : exitCodes.found, data: { isFine, findings }, lines }
}

/** Checked before anything is sent: an address may hold a password, so it is not repeated. */
function requireAddress(option: string, text: string, protocols: readonly string[]): void {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return
  throw misuse(`--${option} takes an address that begins with ${protocols[0]}//.`, usage)
}
