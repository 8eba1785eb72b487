import { compareVersions } from '../../platform/node/version.ts'
import type { Control, Sql } from '../control.ts'
import { readAgreed, writeAgreed } from '../installation.ts'
import type { Migration } from '../migrations/migration-files.ts'
import { hasTable, type RunningNode, selectRunning } from './node-store.ts'

/** Thrown when this version does not fit the stores, or the nodes that run on them. */
export class VersionRefused extends Error {
  override readonly name = 'VersionRefused'
}

type OwnVersion = Pick<RunningNode, 'nodeId' | 'version' | 'worksWith'>

const oldestName = 'oldest_version'
const mark = /^-- survived from (\d+\.\d+\.\d+) on: \S/m

/** The oldest version that survives a migration, where it says so: it removes what older ones still use. */
export function survivedFrom({ text }: Pick<Migration, 'text'>): string | null {
  return mark.exec(text)?.[1] ?? null
}

/** Called while no other node can start, before this one migrates. */
export async function requireFitting(
  sql: Pick<Control, 'query' | 'shared'>,
  own: OwnVersion,
  pending: readonly Migration[],
): Promise<void> {
  const oldest = (await hasTable(sql, 'installation')) ? await readAgreed(sql, oldestName) : null
  if (oldest !== null && compareVersions(own.version, oldest) < 0) {
    throw new VersionRefused(
      `The stores were migrated for version ${oldest} and later, and this is ${own.version}. Start version ${oldest} or a later one. To go back, restore the backup that was made before the upgrade.`,
    )
  }
  const running = sql.shared ? await selectRunning(sql) : []
  const others = running.filter(({ nodeId }) => nodeId !== own.nodeId)
  for (const other of others) requireTogether(own, other)
  for (const migration of pending) {
    const from = survivedFrom(migration)
    const broken = others.find(({ version }) => from !== null && compareVersions(version, from) < 0)
    if (broken === undefined) continue
    throw new VersionRefused(
      `The migration ${migration.name} is survived by version ${from} and later. ${nameOf(broken)} runs. ${advice(from ?? '')}`,
    )
  }
}

function requireTogether(own: OwnVersion, other: RunningNode): void {
  if (compareVersions(other.version, own.worksWith) < 0) {
    throw new VersionRefused(
      `${nameOf(other)} runs, and version ${own.version} runs with nodes of ${own.worksWith} and later. ${advice(own.worksWith)}`,
    )
  }
  if (compareVersions(own.version, other.worksWith) < 0) {
    throw new VersionRefused(
      `${nameOf(other)} runs, which runs with nodes of ${other.worksWith} and later, and this is ${own.version}. Start version ${other.version} here.`,
    )
  }
}

const advice = (version: string) =>
  `Upgrade that node to ${version} first, or stop it. If it is gone already, wait 15 seconds and start again.`

const nameOf = ({ nodeId, version }: RunningNode) =>
  `The node ${nodeId} of version ${version === '0.0.0' ? '0.1.0 or earlier' : version}`

/** Called after the migrations: what older versions have to know before they start here. */
export async function writeOldest(sql: Sql, migrations: readonly Migration[]): Promise<void> {
  const before = await readAgreed(sql, oldestName)
  const marks = migrations.flatMap((migration) => survivedFrom(migration) ?? [])
  const all = before === null ? marks : [before, ...marks]
  const oldest = all.toSorted(compareVersions).at(-1)
  if (oldest !== undefined && oldest !== before) await writeAgreed(sql, oldestName, oldest)
}
