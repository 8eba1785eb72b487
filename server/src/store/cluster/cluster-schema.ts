import { significantWords, type Word } from '../sql-words.ts'

/**
 * Tables of one node, on the replica that it is connected to: filled and emptied with every load, and made again
 * where they are missing. Made on every replica, a node could not start while one of them is away.
 */
const localPrefix = 'staging_'

/**
 * A repeat of a load is found in Keeper for so long. The default was a week and became an hour, and a load that was cut
 * off may wait for its store longer than that.
 */
const deduplicationSeconds = 7 * 24 * 3600

/** Commands of ALTER that change rows, not the schema: a replicated table passes them on by its own log. */
const rowChanges = /^\s*(?:DELETE|UPDATE|DROP\s+PARTITION)\b/i

/** Statements that make, change or drop something, and those of them that are known to run on a cluster. */
// bounded: by the list.
const schemaVerbs = new Set([
  'create',
  'alter',
  'drop',
  'truncate',
  'rename',
  'exchange',
  'detach',
  'attach',
  'undrop',
])
const known =
  /^(?:(?:create|alter|drop|truncate) table|(?:create|drop) view|create materialized view|kill mutation)\b/
/** Between the verb and the name. */
// bounded: by the list.
const before = new Set(['table', 'view', 'materialized', 'if', 'not', 'exists'])

/**
 * The one place where statements become those of a cluster: what makes, changes or drops tables runs on every replica,
 * and tables have replicated engines, at the path that the servers are configured with. All other statements stay as
 * they are.
 */
export function onCluster(sql: string, cluster: string): string {
  const words = significantWords(sql)
  const [verb] = words
  const text = words.map((word) => word.text).join(' ')
  if (!known.test(text)) {
    if (verb === undefined || !schemaVerbs.has(verb.text)) return sql
    throw new Error(`it is not known how to run ${text.slice(0, 40)} on a cluster`)
  }
  const name = words.find((word, at) => at > 0 && !before.has(word.text))
  if (verb === undefined || name === undefined) throw new Error(`${text.slice(0, 40)} names nothing`)
  const next = words[words.indexOf(name) + 1]
  const isOn = next?.text === 'on' && next.depth === 0
  if (isOn || name.text.startsWith(localPrefix)) return sql
  if (verb.text === 'alter' && rowChanges.test(sql.slice(name.end))) return sql
  const isTable = text.startsWith('create table')
  const made = isTable ? replicatedEngine(sql, words) : sql
  // Without SYNC the files of a dropped table stay for eight minutes.
  const end = text.startsWith('drop table') ? ' SYNC' : ''
  return `${made.slice(0, name.end)} ON CLUSTER \`${cluster}\`${made.slice(name.end)}${end}`
}

function replicatedEngine(sql: string, words: readonly Word[]): string {
  const outer = words.filter((word) => word.depth === 0)
  const at = outer.findIndex((word) => word.text === 'engine')
  const family = outer[at + 1]
  if (at === -1 || family === undefined || !family.text.endsWith('mergetree'))
    throw new Error('a table of a cluster has an engine of the MergeTree family, or is one of a node')
  const settings = outer.find((word) => word.text === 'settings')
  const windowed = withWindow(sql, settings)
  return `${windowed.slice(0, family.start)}Replicated${windowed.slice(family.start)}`
}

const ownWindow = /\bnon_replicated_deduplication_window\s*=\s*(\d+)/

/**
 * A replicated table finds repeats by default, even without a token, and one of a single server does not: each gets
 * the window that its statement gives to the latter, and none without one.
 */
function withWindow(sql: string, settings: Word | undefined): string {
  const window = `replicated_deduplication_window = ${ownWindow.exec(sql)?.[1] ?? 0}`
  const both = `${window}, replicated_deduplication_window_seconds = ${deduplicationSeconds}`
  if (settings === undefined) return `${sql} SETTINGS ${both}`
  const own = `${sql.slice(settings.end).replace(ownWindow, both)}`
  return ownWindow.test(sql)
    ? `${sql.slice(0, settings.end)}${own}`
    : `${sql.slice(0, settings.end)} ${both},${own}`
}
