import { existsSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { type CodeLanguage, codeLanguages, environments } from '@assay/contract'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { readJson, shapeProblems } from './json-file.ts'

/** `assay.json` at the root of the project. */
export type ProjectConfig = {
  server: string
  /** The site whose mapping rules apply; by default the first of the workspace. */
  site?: string
  environment?: (typeof environments)[number]
  events: string
  code: readonly { language: CodeLanguage; folder: string }[]
}

export type Project = { root: string; config: ProjectConfig }

export const configName = 'assay.json'
export const eventsFolder = 'assay/events'
/** The schema of event files, from their folder. */
export const schemaFromEvents = posix.join('..', 'event.schema.json')

const configSchema = {
  type: 'object',
  required: ['server', 'events', 'code'],
  additionalProperties: false,
  properties: {
    $schema: { type: 'string' },
    server: { type: 'string', minLength: 1 },
    site: { type: 'string', minLength: 1 },
    environment: { type: 'string', enum: [...environments] },
    events: { type: 'string', minLength: 1 },
    code: {
      type: 'array',
      items: {
        type: 'object',
        required: ['language', 'folder'],
        additionalProperties: false,
        properties: {
          language: { type: 'string', enum: [...codeLanguages] },
          folder: { type: 'string', minLength: 1 },
        },
      },
    },
  },
}

/** The nearest assay.json, here or above. */
export function findProject(directory: string): Project | null {
  for (let folder = directory; ; folder = dirname(folder)) {
    const file = join(folder, configName)
    if (existsSync(file)) return { root: folder, config: readConfig(file) }
    if (dirname(folder) === folder) return null
  }
}

export function requireProject(directory: string): Project {
  const project = findProject(directory)
  if (project !== null) return project
  throw misuse(`There is no ${configName} here or above.`, 'Begin with: assay init')
}

function readConfig(file: string): ProjectConfig {
  const read = readJson(file, configName)
  const problems = read.problem === null ? shapeProblems(configSchema, read, configName) : [read.problem]
  const [first] = problems
  if (first !== undefined) {
    const { line, path, message } = first
    throw new CommandFailure(
      exitCodes.misuse,
      `${configName}:${line}: ${[path, message].filter(Boolean).join(': ')}`,
    )
  }
  // boundary: checked just above against the schema that has these members.
  return read.value as ProjectConfig
}

/** Paths of a project, from its root. */
export function placesOf({ events }: ProjectConfig): {
  schema: string
  registry: string
  fromEvents: string
} {
  const above = posix.dirname(events)
  return {
    schema: posix.join(above, 'event.schema.json'),
    registry: posix.join(above, 'registry.json'),
    fromEvents: schemaFromEvents,
  }
}
