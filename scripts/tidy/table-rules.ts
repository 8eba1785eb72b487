import { testFile, testingFolder, type Violation } from './file-rules.ts'
import { libraries } from './import-rules.ts'
import type { Repository } from './repository-rules.ts'
import { lineAt } from './source-text.ts'

const migration = /^server\/src\/store\/migrations\/[^/]+\/\d{4}_(\w+)\.sql$/
const created = /\bCREATE TABLE (?:IF NOT EXISTS )?(\w+)/g
const moduleFile = /^server\/src\/([^/]+)\/.*\.ts$/
const statement =
  'INSERT INTO|UPDATE(?: ONLY)?|DELETE FROM|ALTER TABLE|TRUNCATE TABLE|OPTIMIZE TABLE|DROP TABLE'
/** A statement, or the name of the table for the statements that all saved rows share. */
const written = new RegExp(String.raw`(?:\b(?:${statement})\s+|\bsavedRows(?:<\w+>)?\(\s*')(\w+)`, 'g')

/** Tables with a second writer, and why. */
const secondWriters: Readonly<Record<string, string>> = {
  // The loader records errors with the events of a segment, so that a crash parts neither from the other.
  error_sightings: 'ingest',
  // A release is a line of the log, which the loader stores; a discard is a statement of the quarantine.
  quarantine_states: 'quarantine',
}

/** A table belongs to the module whose migration creates it. Others may read it, and call that module to change it. */
export function checkTables({ files, read }: Repository): Violation[] {
  const owners = ownersOf(files, read)
  return files.flatMap((file) => {
    const [, module = ''] = moduleFile.exec(file) ?? []
    if (module === '' || libraries.includes(module) || testFile.test(file) || testingFolder.test(file))
      return []
    const text = read(file)
    return [...text.matchAll(written)].flatMap(({ 1: table = '', index }) => {
      const owner = owners.get(table)
      if (owner === undefined || owner === module || secondWriters[table] === module) return []
      const instead = `${table} belongs to ${owner}: call a rule of ${owner} to change it`
      return [{ file, line: lineAt(text, index), rule: 'table owner', instead }]
    })
  })
}

/** The name of a migration begins with its module, which may have two words. */
function ownersOf(files: readonly string[], read: Repository['read']): Map<string, string> {
  const modules = new Set(files.flatMap((file) => moduleFile.exec(file)?.[1] ?? []))
  const owners = new Map<string, string>()
  for (const file of files) {
    const words = migration.exec(file)?.[1]?.split('_')
    if (words === undefined) continue
    const names = words.map((_, index) => words.slice(0, index + 1).join('-')).reverse()
    const owner = names.find((name) => modules.has(name)) ?? words[0] ?? ''
    for (const [, table = ''] of read(file).matchAll(created)) owners.set(table, owner)
  }
  return owners
}
