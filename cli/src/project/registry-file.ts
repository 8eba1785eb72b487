import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  defaultPreset,
  defaultRules,
  type EventContract,
  type GatePreset,
  type MappingRule,
  type Severities,
} from '@assay/contract'
import { toJson, writeText } from './json-file.ts'
import { type Project, placesOf } from './project.ts'

/**
 * What the server had at the last pull besides the events: the pulled versions, and the settings of its gate.
 * Commit it, so that validation works without a server and gives everyone the same result.
 */
export type RegistryFile = {
  pulled: Readonly<Record<string, string>>
  /** Whether unregistered events are counted or quarantined. */
  preset: GatePreset
  /** Only those changed by the workspace. */
  severities: Severities
  /** Rules of the site that are custom, edited or switched off. */
  rules: readonly MappingRule[]
  /** Live versions other than the one in the event's own file. */
  older: readonly EventContract[]
}

export const nothingPulled: RegistryFile = {
  pulled: {},
  preset: defaultPreset,
  severities: {},
  rules: [],
  older: [],
}

export function readRegistryFile({ root, config }: Project): RegistryFile {
  const file = join(root, placesOf(config).registry)
  if (!existsSync(file)) return nothingPulled
  // boundary: only assay pull writes this file.
  const { pulled, preset, severities, rules, older } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as Partial<RegistryFile>
  return {
    pulled: pulled ?? {},
    preset: preset ?? defaultPreset,
    severities: severities ?? {},
    rules: rules ?? [],
    older: older ?? [],
  }
}

export function writeRegistryFile({ root, config }: Project, file: RegistryFile): boolean {
  const about = 'Written by assay pull, for assay validate and assay push. Commit it; do not edit it.'
  const pulled = Object.fromEntries(Object.entries(file.pulled).toSorted(byKey))
  return writeText(join(root, placesOf(config).registry), toJson({ about, ...file, pulled }))
}

const byKey = ([left]: [string, string], [right]: [string, string]) => (left < right ? -1 : 1)

/**
 * The rules of the site as its gate has them: custom ones first, then the defaults with the site's changes.
 */
export function allRules(changed: readonly MappingRule[]): readonly MappingRule[] {
  const byId = new Map(changed.map((rule) => [rule.id, rule]))
  const defaultIds = new Set(defaultRules.map(({ id }) => id))
  return [
    ...changed.filter(({ id }) => !defaultIds.has(id)),
    ...defaultRules.map((rule) => byId.get(rule.id) ?? rule),
  ]
}
