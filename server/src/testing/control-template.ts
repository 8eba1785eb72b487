import { hash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { openControl } from '../store/control.ts'
import { migrateControl } from '../store/migrations/migrate.ts'
import { readMigrations } from '../store/migrations/migration-files.ts'

const cache = join(import.meta.dirname, '..', '..', '..', '.cache', 'control-template')

/**
 * A migrated control store in `directory`, for worlds to copy. To make one takes 10 s of a core, so what a run made is
 * kept for the next one, as long as neither Postgres nor a migration has changed.
 */
export async function makeControlTemplate(directory: string): Promise<void> {
  const kept = join(cache, versionOf())
  if (!existsSync(kept)) await make(kept)
  cpSync(kept, `${directory}/control`, { recursive: true })
}

async function make(kept: string): Promise<void> {
  const mine = `${kept}.${process.pid}`
  mkdirSync(mine, { recursive: true })
  const control = await openControl({ dataDir: mine })
  await migrateControl(control)
  await control.close()
  for (const name of readdirSync(cache)) {
    // Others may be making the same one now; what was made of other migrations is of no more use.
    if (!kept.endsWith(name.slice(0, versionLength)))
      rmSync(join(cache, name), { recursive: true, force: true })
  }
  try {
    renameSync(`${mine}/control`, kept)
  } catch (error) {
    // Another worker was faster.
    if (!existsSync(kept)) throw error
  }
  rmSync(mine, { recursive: true, force: true })
}

const versionLength = 16

function versionOf(): string {
  const program = dirname(createRequire(import.meta.url).resolve('@electric-sql/pglite'))
  const postgres = readFileSync(join(program, '..', 'package.json'), 'utf8')
  const settings = readFileSync(join(import.meta.dirname, '../store/control-engine/settings.ts'), 'utf8')
  const made = [JSON.parse(postgres).version, settings, ...readMigrations('control').map(({ text }) => text)]
  return hash('sha256', made.join('\0'), 'hex').slice(0, versionLength)
}
