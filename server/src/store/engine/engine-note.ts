import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '@assay/contract'

/** The engine that was asked for cannot be used here; its message says what to do. */
export class EngineRefused extends Error {
  override readonly name = 'EngineRefused'
}

export type EngineKind = 'native' | 'portable'
type EngineNote = { kind: EngineKind; version: string }

const fileOf = (directory: string): string => join(directory, 'engine.json')

/** Writes down which engine used the directory last, where that changed: a full disk does not keep it from opening. */
export function noteEngine(directory: string, note: EngineNote): void {
  const known = readNote(directory)
  if (known?.kind === note.kind && known.version === note.version) return
  writeFileSync(fileOf(directory), `${JSON.stringify(note)}\n`)
}

/** The native engine is the newer release: what it wrote, the portable one may misread. */
export function requirePortable(directory: string): void {
  const note = readNote(directory)
  if (note?.kind !== 'native') return
  throw new EngineRefused(
    `The events in ${directory} were last written by the native engine (${note.version}), which is newer than ` +
      'the portable one. Start with the native engine, or move the workspaces by export and import (docs/moving.md).',
  )
}

function readNote(directory: string): EngineNote | null {
  try {
    const note: unknown = JSON.parse(readFileSync(fileOf(directory), 'utf8'))
    if (!isRecord(note) || (note.kind !== 'native' && note.kind !== 'portable')) return null
    return { kind: note.kind, version: String(note.version) }
  } catch {
    // None yet, or cut off by a crash: the engine itself refuses what it cannot read.
    return null
  }
}
