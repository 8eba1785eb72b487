import {
  type ContractChange,
  type ContractChangeResult,
  type ContractEnd,
  type EventContract,
  registryChangesMax,
} from '@assay/contract'
import { misuse } from '../failure.ts'
import type { Paint } from '../paint.ts'
import { eventText } from '../project/event-file.ts'
import { type Standing, saysTheSame } from './compare.ts'
import { diffLines } from './line-diff.ts'

/** What a push would do. */
export type Plan = {
  contracts: readonly ContractChange[]
  ends: readonly ContractEnd[]
  conflicts: readonly Standing[]
  /** Newer on the server and unchanged here: use pull. */
  behind: readonly string[]
  standings: ReadonlyMap<string, Standing>
}

export function planPush(standings: readonly Standing[], isPruning: boolean): Plan {
  const contracts: ContractChange[] = []
  const ends: ContractEnd[] = []
  for (const standing of standings) {
    const { kind, here, there, key } = standing
    if (kind === 'removedHere' && isPruning && there !== null) {
      ends.push({ key, expected_version: there.version, status: 'archived' })
    }
    if ((kind !== 'newHere' && kind !== 'changedHere') || here === null) continue
    const ending = endOf(here.contract, there)
    if (ending === null) contracts.push(toChange(here.contract, there?.version ?? null))
    else ends.push(ending)
  }
  if (contracts.length > registryChangesMax || ends.length > registryChangesMax) {
    throw misuse(
      `One change takes up to ${registryChangesMax} events, and ${contracts.length + ends.length} were changed.`,
      'Push them in parts: move some of the files aside, push, and put them back.',
    )
  }
  return {
    contracts,
    ends,
    conflicts: standings.filter(({ kind }) => kind === 'conflict'),
    behind: standings.filter(({ kind }) => /There$/.test(kind)).map(({ key }) => key),
    standings: new Map(standings.map((standing) => [standing.key, standing])),
  }
}

/** A file whose status retires the event. */
function endOf(contract: EventContract, there: EventContract | null): ContractEnd | null {
  const { status, key, replaced_by } = contract
  if (status !== 'deprecated' && status !== 'archived') return null
  if (there === null)
    throw misuse(`${key} is ${status} and was never registered.`, 'Delete the file instead.')
  const isOnlyStatus = saysTheSame({ ...without(contract), status: there.status }, without(there))
  if (!isOnlyStatus) {
    throw misuse(`${key} is to be ${status} and also changed.`, 'Do one, push, and then do the other.')
  }
  return { key, status, expected_version: there.version, ...(replaced_by !== undefined && { replaced_by }) }
}

function without({ replaced_by: _, ...contract }: EventContract): EventContract {
  return contract
}

function toChange(contract: EventContract, expected: string | null): ContractChange {
  const { name: _name, version: _version, status, surfaces, properties, ...rest } = contract
  return {
    ...rest,
    properties: { ...properties },
    surfaces: [...surfaces],
    status: status === 'draft' ? 'draft' : 'published',
    expected_version: expected,
  }
}

const words: Readonly<Record<ContractChangeResult['change'], string>> = {
  new: 'new',
  breaking: 'BREAKING',
  shape: 'changed',
  texts: 'words changed',
  status: 'status changed',
  none: 'nothing new',
}

/** The plan as text: each event, what changes in it, and what that would break. */
export function planLines(plan: Plan, results: readonly ContractChangeResult[], paint: Paint): string[] {
  return results.flatMap(({ key, change, version_before, version, status, breaks }) => {
    const versions =
      version_before === null || version_before === version ? version : `${version_before} → ${version}`
    const title = `${paint('bold', key)}  ${versions}  ${status}  `
    const kind = change === 'breaking' ? paint('red', words[change]) : words[change]
    return [
      title + kind,
      ...breaks.map(({ path, what }) => paint('red', `    breaks: ${path}: ${what}`)),
      ...difference(plan.standings.get(key), paint),
      '',
    ]
  })
}

function difference(standing: Standing | undefined, paint: Paint): string[] {
  if (standing === undefined || standing.here === null) return []
  const { here, there } = standing
  // The server chooses the version, so it is not one of the author's changes.
  const text = (contract: EventContract) =>
    eventText({ ...contract, version: '' }, '').replace(/^ {2}"version".*\n/m, '')
  const before = there === null ? '' : text(there)
  return diffLines(before, text(here.contract))
    .filter(({ text: shown }) => shown !== '')
    .map(({ mark, text: shown }) => {
      const whole = `  ${mark} ${shown}`
      return mark === '+' ? paint('green', whole) : mark === '-' ? paint('red', whole) : paint('grey', whole)
    })
}
