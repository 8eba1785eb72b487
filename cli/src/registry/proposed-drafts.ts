import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, listProposals, type Proposal, surfaces } from '@assay/contract'
import type { WrittenContract } from '../project/event-file.ts'
import type { Project } from '../project/project.ts'
import { pathWithin } from '../transfer/safe-path.ts'
import { writeEvent } from './project-files.ts'

export type Observed = { key: string; path: string; events: number; sampled: number }

/** The maximum that the server proposes at a time. */
const proposalsMax = 50

/** Writes the server's proposals as drafts. Events that have a file or a draft on the server are skipped. */
export async function writeObserved(client: Client, project: Project): Promise<Observed[]> {
  const site = project.config.site
  const { data } = await client.call(listProposals, {
    query: { limit: proposalsMax, ...(site !== undefined && { site_id: site }) },
  })
  const open = data.filter((each) => each.draft_version === null && !hasFile(project, each.key))
  return open.map((proposal) => ({
    key: proposal.key,
    path: writeEvent(project, toDraft(proposal)),
    events: proposal.events,
    sampled: proposal.sampled,
  }))
}

function hasFile({ root, config }: Project, key: string): boolean {
  return existsSync(pathWithin(join(root, config.events), `${key}.json`))
}

/** Without a version: it is new, and the registry assigns the first. */
function toDraft({ key, contract, events, sampled }: Proposal): WrittenContract {
  return {
    key,
    name: key,
    status: 'draft',
    description: `Proposed from ${sampled} of ${events} events. Describe when it happens.`,
    properties: contract.properties,
    additional: contract.additional,
    surfaces,
    purpose: 'analytics_storage',
  }
}
