import {
  compileContract,
  compileContracts,
  compileMapping,
  type EventContract,
  type EventReading,
  judgeReading,
  type Known,
  readIngest,
  readTrack,
  type Verdict,
  withoutAlias,
} from '@assay/contract'
import { allRules, type RegistryFile } from '../project/registry-file.ts'
import type { FoundEvent } from './read-events.ts'

type GateSettings = {
  registry: RegistryFile
  /** The events of the project. */
  contracts: readonly EventContract[]
  keyClass: 'public' | 'secret'
  receivedAt: number
  /** Drafts are treated as published. */
  withDrafts: boolean
}

export type JudgeEvent = (event: FoundEvent) => Verdict

/** The gate with what the project knows. Consent and duplicates are known only to the server. */
export function openGate({
  registry,
  contracts,
  keyClass,
  receivedAt,
  withDrafts,
}: GateSettings): JudgeEvent {
  const inForce = contracts.map((contract) => inForceOf(contract, registry.older, withDrafts))
  const older = registry.older.map(compileContract)
  const known: Known = {
    contracts: compileContracts(inForce),
    findVersion: (name, version) =>
      older.find(({ contract }) => contract.name === name && contract.version === version),
    mapping: compileMapping(allRules(registry.rules)),
    keyClass,
    receivedAt,
    preset: registry.preset,
    severities: registry.severities,
  }
  return (event) => judgeReading(read(event, keyClass), event.endpoint === 'ingest' ? asSite(known) : known)
}

/** A site token is public, like a public key. */
function asSite(known: Known): Known {
  return { ...known, keyClass: 'public' }
}

/** Where the newest version is a draft, the server validates against the newest published one. */
function inForceOf(
  contract: EventContract,
  older: readonly EventContract[],
  withDrafts: boolean,
): EventContract {
  if (contract.status !== 'draft') return contract
  if (withDrafts) return { ...contract, status: 'published' }
  return older.find(({ key }) => key === contract.key) ?? contract
}

function read(
  { endpoint, input, shared, unreadable }: FoundEvent,
  keyClass: 'public' | 'secret',
): EventReading {
  if (unreadable !== null) return notJson(unreadable)
  // The server generates an id for page visitors who send none.
  const fallback = { fallbackAnonymousId: () => 'visitor' }
  if (endpoint === 'ingest') return withoutAlias(readIngest(input, { ...shared, ...fallback }))
  return withoutAlias(readTrack(input, { ...shared, ...(keyClass === 'public' && fallback) }))
}

function notJson(reason: string): EventReading {
  const message = `Write one JSON value per line: ${reason}.`
  return {
    kind: 'unreadable',
    findings: [{ code: 'malformed_event', field: '', message, expected: 'a JSON value', actual: null }],
  }
}
