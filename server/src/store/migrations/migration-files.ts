import { readdirSync, readFileSync } from 'node:fs'

export type Migration = { name: string; text: string }

/** Files in order of name. They only ever go forward: a published one is never edited. */
export function readMigrations(store: 'control' | 'events'): Migration[] {
  const folder = new URL(`./${store}/`, import.meta.url)
  return readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }))
}

export function splitStatements(text: string): string[] {
  return text
    .replace(/^\s*--.*$/gm, '')
    .split(/;\s*(?:\n|$)/)
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
}
