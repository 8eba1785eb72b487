import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import {
  contractProblems,
  type EventContract,
  severityErrors,
  standardByKey,
  surfaces,
} from '@assay/contract'
import { eventFileSchema } from './event-schema.ts'
import { type FileProblem, lineOf, type ReadJson, readJson, shapeProblems, toJson } from './json-file.ts'

/** An event file of the project. */
export type EventFile = {
  key: string
  /** Path from the root of the project, for messages. */
  shownAs: string
  path: string
  contract: EventContract
  /** The version that was pulled; null if it was never registered. */
  version: string | null
}

/** Defaults of a new event. */
const usual = { additional: 'accept', purpose: 'analytics_storage', status: 'published' } as const
const unregistered = '1-0-0'

type Written = Partial<Omit<EventContract, 'name'>> & { key: string }

/** Without a version it was never on the server. */
export type WrittenContract = Omit<EventContract, 'version'> & { version?: string }

/** Members in reading order; defaults are left out. */
export function eventText(contract: WrittenContract, schemaPath: string): string {
  const { key, version, status, description, owner, category, properties, severities } = contract
  const isEverywhere = surfaces.every((surface) => contract.surfaces.includes(surface))
  return toJson({
    $schema: schemaPath,
    key,
    ...(version !== undefined && { version }),
    status,
    ...(description !== '' && { description }),
    ...(owner !== undefined && { owner }),
    ...(category !== undefined && { category }),
    properties,
    ...(contract.additional !== usual.additional && { additional: contract.additional }),
    ...(!isEverywhere && { surfaces: contract.surfaces }),
    ...(contract.purpose !== usual.purpose && { purpose: contract.purpose }),
    ...(contract.replaced_by !== undefined && { replaced_by: contract.replaced_by }),
    ...(severities !== undefined && Object.keys(severities).length > 0 && { severities }),
  })
}

function toContract(written: Written): EventContract {
  const { key, owner, category, severities } = written
  return {
    key,
    name: key,
    version: written.version ?? unregistered,
    status: written.status ?? usual.status,
    description: written.description ?? '',
    ...(owner !== undefined && { owner }),
    ...(category !== undefined && { category }),
    properties: written.properties ?? {},
    additional: written.additional ?? usual.additional,
    surfaces: written.surfaces ?? surfaces,
    purpose: written.purpose ?? usual.purpose,
    ...(written.replaced_by !== undefined && { replaced_by: written.replaced_by }),
    ...(severities !== undefined && Object.keys(severities).length > 0 && { severities }),
  }
}

type EventFiles = { files: readonly EventFile[]; problems: readonly FileProblem[] }

/** Reads every event of a folder. Unusable files are returned as problems instead. */
export function readEventFiles(root: string, folder: string): EventFiles {
  const files: EventFile[] = []
  const problems: FileProblem[] = []
  const directory = join(root, folder)
  const names = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : []
  for (const name of names.toSorted()) {
    const shownAs = `${folder}/${name}`
    const read = readEventFile(join(directory, name), shownAs)
    if ('problems' in read) problems.push(...read.problems)
    else files.push(read)
  }
  return { files, problems }
}

function readEventFile(path: string, shownAs: string): EventFile | { problems: FileProblem[] } {
  const read = readJson(path, shownAs)
  if (read.problem !== null) return { problems: [read.problem] }
  const misshapen = shapeProblems(eventFileSchema, read, shownAs)
  if (misshapen.length > 0) return { problems: misshapen }
  // boundary: checked just above against the schema that has these members.
  const written = read.value as Written
  const contract = toContract(written)
  const problems = meaningProblems(contract, read, shownAs)
  if (problems.length > 0) return { problems }
  return { key: contract.key, shownAs, path, contract, version: written.version ?? null }
}

/** What the registry would refuse, reported before anything is sent. */
function meaningProblems(contract: EventContract, { text }: ReadJson, file: string): FileProblem[] {
  const at = (path: string, message: string): FileProblem => ({
    file,
    line: lineOf(text, path.replaceAll('[]', '.items').split('.')),
    path,
    message,
  })
  const problems = contractProblems(contract).map(({ path, message }) => at(path, message))
  const severities = severityErrors(contract.severities ?? {}, 'severities.')
  problems.push(...severities.map(({ field, message }) => at(field, `It ${message}.`)))
  if (basename(file) !== `${contract.key}.json`)
    problems.push(at('key', `Name the file ${contract.key}.json, or change the key.`))
  const isOwn = standardByKey.has(contract.key) && problems.length === 0
  return isOwn ? [at('key', `Choose another key: ${contract.key} is a standard event.`)] : problems
}
