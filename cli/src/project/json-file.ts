import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isRecord } from '@assay/contract'
import Schema from 'typebox/schema'

/** A reason why a file cannot be used. Lines count from 1. */
export type FileProblem = { file: string; line: number; path: string; message: string }

export type ReadJson = { text: string; value: unknown; problem: FileProblem | null }

export function readJson(file: string, shownAs: string): ReadJson {
  const text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '')
  try {
    return { text, value: JSON.parse(text), problem: null }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return {
      text,
      value: undefined,
      problem: { file: shownAs, line: lineOfError(text, message), path: '', message },
    }
  }
}

/** V8 reports a position; newer versions report line and column too. */
function lineOfError(text: string, message: string): number {
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return Math.max(1, text.trimEnd().split('\n').length)
  return text.slice(0, Number(position)).split('\n').length
}

/** The line of a member, found by its names in order: good enough to point an editor at it. */
export function lineOf(text: string, path: readonly string[]): number {
  let from = 0
  for (const name of path) {
    const at = text.indexOf(`${JSON.stringify(name)}`, from)
    if (at !== -1) from = at
  }
  return text.slice(0, from).split('\n').length
}

/** Violations of a JSON Schema, each with its place. */
export function shapeProblems(schema: object, { text, value }: ReadJson, file: string): FileProblem[] {
  const [, errors] = Schema.Errors(schema, value)
  return errors
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(({ instancePath, message, params }) => {
      const more = namesOf(params)
      const path = [
        ...instancePath.split('/').slice(1).map(unescapePointer),
        ...(more.length === 1 ? more : []),
      ]
      const said = more.length > 0 ? `${message}: ${more.join(', ')}` : `${message}${allowed(params)}`
      return { file, line: lineOf(text, path), path: path.join('.'), message: `It ${said}.` }
    })
}

function namesOf(params: unknown): string[] {
  if (!isRecord(params)) return []
  const names = params.additionalProperties ?? params.requiredProperties
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}

function allowed(params: unknown): string {
  const values = isRecord(params) ? params.allowedValues : undefined
  return Array.isArray(values) ? ` (${values.join(', ')})` : ''
}

function unescapePointer(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~')
}

export function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

/** Writes only if the text differs, so that file watchers are not triggered. Returns whether it wrote. */
export function writeText(file: string, text: string): boolean {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return false
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return true
}
