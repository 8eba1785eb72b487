import {
  type Client,
  type Contract,
  type EventContract,
  type EventMapping,
  getContract,
  getSeverities,
  listContracts,
  listMappings,
  listSites,
  type MappingRule,
} from '@assay/contract'
import type { RegistryFile } from '../project/registry-file.ts'

/** The registry of a workspace on the server. */
export type Remote = {
  /** By key, each at its newest version; without archived ones. */
  contracts: ReadonlyMap<string, EventContract>
} & Pick<RegistryFile, 'preset' | 'severities' | 'rules' | 'older'>

const pageSize = 200
/** An event names the version that its code was generated from; code five versions old is rare. */
const olderMax = 5

export async function fetchRemote(
  client: Client,
  siteId: string | undefined,
  progress: (text: string) => void,
): Promise<Remote> {
  const inForce = await listAll(client, undefined, progress)
  const drafts = await listAll(client, 'draft', progress)
  const contracts = new Map<string, EventContract>()
  for (const contract of [...inForce, ...drafts]) {
    if (contract.status !== 'archived') contracts.set(contract.key, toEventContract(contract))
  }
  return {
    contracts,
    older: await fetchOlder(client, contracts, progress),
    ...(await fetchPolicy(client)),
    rules: await fetchRules(client, siteId),
  }
}

async function listAll(
  client: Client,
  status: 'draft' | undefined,
  progress: (text: string) => void,
): Promise<Contract[]> {
  const found: Contract[] = []
  let cursor: string | null = null
  do {
    const page: { data: Contract[]; next_cursor: string | null } = await client.call(listContracts, {
      query: {
        source: 'custom',
        limit: pageSize,
        ...(status !== undefined && { status }),
        ...(cursor !== null && { cursor }),
      },
    })
    found.push(...page.data)
    cursor = page.next_cursor
    if (cursor !== null) progress(`${found.length} contracts read`)
  } while (cursor !== null)
  return found
}

/** The contract alone, without times and history. */
export function toEventContract(answer: Contract): EventContract {
  const { key, name, version, status, description, owner, category, properties } = answer
  const { additional, surfaces, purpose, replaced_by, severities } = answer
  return {
    key,
    name,
    version,
    status,
    description,
    ...(owner !== undefined && { owner }),
    ...(category !== undefined && { category }),
    properties,
    additional,
    surfaces,
    purpose,
    ...(replaced_by !== undefined && { replaced_by }),
    ...(severities !== undefined && { severities }),
  }
}

/** Older versions stay live until the contract is archived; events that name one are validated against it. */
async function fetchOlder(
  client: Client,
  contracts: ReadonlyMap<string, EventContract>,
  progress: (text: string) => void,
): Promise<EventContract[]> {
  const older: EventContract[] = []
  const changed = [...contracts.values()].filter(({ version }) => version !== '1-0-0')
  for (const [at, { key, version: newest }] of changed.entries()) {
    if (at % 50 === 49) progress(`${at + 1} of ${changed.length} histories read`)
    const { versions } = await client.call(getContract, { params: { key }, query: {} })
    const wanted = versions
      .filter(({ status }) => status === 'published' || status === 'deprecated')
      .filter(({ version }) => version !== newest)
      .slice(0, olderMax)
    for (const { version } of wanted) older.push(await fetchVersion(client, key, version))
  }
  return older
}

export async function fetchVersion(client: Client, key: string, version: string): Promise<EventContract> {
  return toEventContract(await client.call(getContract, { params: { key }, query: { version } }))
}

async function fetchPolicy(client: Client): Promise<Pick<RegistryFile, 'preset' | 'severities'>> {
  const { preset, data } = await client.call(getSeverities, { query: {} })
  const changed = data.filter((each) => each.severity !== each.default)
  return { preset, severities: Object.fromEntries(changed.map(({ code, severity }) => [code, severity])) }
}

async function fetchRules(client: Client, siteId: string | undefined): Promise<MappingRule[]> {
  const site = siteId ?? (await client.call(listSites, { query: { limit: 1 } })).data[0]?.id
  if (site === undefined) return []
  const rules: MappingRule[] = []
  let cursor: string | null = null
  do {
    const page: { data: EventMapping[]; nextCursor: string | null } = await client.call(listMappings, {
      query: { siteId: site, limit: pageSize, ...(cursor !== null && { cursor }) },
    })
    rules.push(...page.data.filter(isChanged).map(toRule))
    cursor = page.nextCursor
  } while (cursor !== null)
  return rules
}

const isChanged = ({ origin, edited, enabled }: EventMapping) => origin === 'custom' || edited || !enabled

function toRule({ id, source, target, propertyMap, origin, edited, enabled }: EventMapping): MappingRule {
  return { id, source, target, propertyMap, origin: edited ? 'custom' : origin, isEnabled: enabled }
}
