import type { Violation } from './file-rules.ts'

const migration = /^(server\/src\/store\/migrations\/[^/]+\/)([^/]+)$/
const numberedName = /^(\d{4})_[a-z]+(?:_[a-z]+)*\.sql$/

/** Migrations run in the order of their names, so two with one number would run in an arbitrary order. */
export function checkMigrations(files: readonly string[]): Violation[] {
  const firsts = new Map<string, string>()
  return files.flatMap((file): Violation[] => {
    const [, folder = '', name = ''] = migration.exec(file) ?? []
    if (folder === '') return []
    const number = numberedName.exec(name)?.[1]
    if (number === undefined) return refuse(file, 'name it NNNN_<module>_<what>.sql')
    const first = firsts.get(folder + number)
    firsts.set(folder + number, first ?? name)
    return first === undefined ? [] : refuse(file, `${first} has this number: take the next one`)
  })
}

function refuse(file: string, instead: string): Violation[] {
  return [{ file, line: 1, rule: 'migration', instead }]
}
