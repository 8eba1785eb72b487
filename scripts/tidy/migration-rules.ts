import type { Violation } from './file-rules.ts'
import { lineAt } from './source-text.ts'

const migration = /^(server\/src\/store\/migrations\/[^/]+\/)([^/]+)$/
const numberedName = /^(\d{4})_[a-z]+(?:_[a-z]+)*\.sql$/

/** Migrations run in the order of their names, so two with one number would run in an arbitrary order. */
export function checkMigrations(files: readonly string[], read: (file: string) => string): Violation[] {
  const firsts = new Map<string, string>()
  return files.flatMap((file): Violation[] => {
    const [, folder = '', name = ''] = migration.exec(file) ?? []
    if (folder === '') return []
    const number = numberedName.exec(name)?.[1]
    if (number === undefined) return refuse(file, 'name it NNNN_<module>_<what>.sql')
    const first = firsts.get(folder + number)
    firsts.set(folder + number, first ?? name)
    if (first !== undefined) return refuse(file, `${first} has this number: take the next one`)
    const isLater = Number(number) > (lastWhole[folder.split('/').at(-2) ?? ''] ?? 0)
    return isLater ? checkRemovals(file, read(file)) : []
  })
}

/** Up to these, which are the schema of the first release, no version ran before. */
const lastWhole: Readonly<Record<string, number>> = { control: 35, events: 7 }

/** What a statement that the version before still sends would fail on, or find nothing in. */
const removals = [
  'DROP (?:TABLE|COLUMN|VIEW|TYPE|SCHEMA|DEFAULT)',
  'RENAME|EXCHANGE TABLES|MODIFY COLUMN|SET NOT NULL|TRUNCATE|DELETE FROM',
  '(?:ALTER) COLUMN \\w+ (?:SET DATA )?TYPE',
  // A column that rows of the version before leave empty.
  'ADD (?!CONSTRAINT)(?:(?!DEFAULT)[^,;])*\\bNOT NULL\\b(?:(?!DEFAULT)[^,;])*[,;]',
]
const removal = new RegExp(`\\b(?:${removals.join('|')})`, 'gi')
const survived = /^-- survived from \d+\.\d+\.\d+ on: \S/m

/** Nodes of the version before run while a migration is applied, and after it until they are replaced. */
function checkRemovals(file: string, text: string): Violation[] {
  if (survived.test(text)) return []
  const instead =
    'add first, and remove one release later, with "-- survived from <version> on: <why>" in the file (CONTRIBUTING.md)'
  return [...text.matchAll(removal)].map(({ index }) => {
    return { file, line: lineAt(text, index), rule: 'migration', instead }
  })
}

function refuse(file: string, instead: string): Violation[] {
  return [{ file, line: 1, rule: 'migration', instead }]
}
