import { ApiProblem, type Client, type EventContract } from '@assay/contract'
import { CommandFailure, exitCodes } from '../failure.ts'
import { type EventFile, readEventFiles } from '../project/event-file.ts'
import type { FileProblem } from '../project/json-file.ts'
import type { Project } from '../project/project.ts'
import { type RegistryFile, readRegistryFile } from '../project/registry-file.ts'
import { compareSides, type Standing } from './compare.ts'
import { fetchRemote, fetchVersion, type Remote } from './remote.ts'

/** Project and server compared. */
export type Comparison = { standings: readonly Standing[]; remote: Remote; registryFile: RegistryFile }

export async function compareWithServer(
  client: Client,
  project: Project,
  progress: (text: string) => void,
): Promise<Comparison> {
  const here = requireSound(readEventFiles(project.root, project.config.events))
  const registryFile = readRegistryFile(project)
  const remote = await fetchRemote(client, project.config.site, progress)
  const bases = await fetchBases(client, here, remote)
  const standings = compareSides({
    here,
    there: remote.contracts,
    pulled: registryFile.pulled,
    base: (key, version) => bases.get(`${key} ${version}`) ?? null,
  })
  return { standings, remote, registryFile }
}

function requireSound(read: ReturnType<typeof readEventFiles>): Map<string, EventFile> {
  if (read.problems.length > 0) {
    const listed = read.problems.map(describeFileProblem)
    throw new CommandFailure(
      exitCodes.found,
      `Correct the event files first:\n  ${listed.join('\n  ')}`,
      null,
      {
        problems: read.problems,
      },
    )
  }
  return new Map(read.files.map((file) => [file.key, file]))
}

function describeFileProblem({ file, line, path, message }: FileProblem): string {
  return `${file}:${line}: ${[path, message].filter((part) => part !== '').join(': ')}`
}

/** The versions that files are based on, where the server has newer ones. */
async function fetchBases(
  client: Client,
  here: ReadonlyMap<string, EventFile>,
  remote: Remote,
): Promise<ReadonlyMap<string, EventContract>> {
  const bases = new Map<string, EventContract>()
  for (const { key, version } of here.values()) {
    if (version === null || remote.contracts.get(key)?.version === version) continue
    try {
      bases.set(`${key} ${version}`, await fetchVersion(client, key, version))
    } catch (error) {
      // A version that was never registered: the comparison reports a conflict.
      if (!(error instanceof ApiProblem) || error.status !== 404) throw error
    }
  }
  return bases
}
