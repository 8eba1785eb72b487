import {
  type ContractDraft,
  contractProblems,
  depthMax,
  type EventContract,
  type FieldError,
  Problem,
  type PropertyRule,
  PropertyRuleShape,
  severityErrors,
  surfaces,
} from '@assay/contract'
import { Ajv, type ValidateFunction } from 'ajv'
import { firstVersion, writeVersion } from './versions.ts'

/** A contract is in memory on every node; a larger one is a document. */
export const contractBytesMax = 100_000

/** What a caller wants registered, whole. What is left out is as in the version before, or the default. */
export function readDraft(body: ContractDraft, before: EventContract | null): EventContract {
  const errors: FieldError[] = []
  const properties = readRules(body.properties ?? before?.properties ?? {}, 'properties', 1, errors)
  if (errors.length > 0) throw invalidContract(errors)
  const owner = body.owner ?? before?.owner
  const category = body.category ?? before?.category
  const severities = body.severities ?? before?.severities
  const contract: EventContract = {
    key: body.key,
    name: body.key,
    version: body.version ?? writeVersion(firstVersion),
    status: 'draft',
    description: body.description ?? before?.description ?? '',
    ...(owner !== undefined && { owner }),
    ...(category !== undefined && { category }),
    properties,
    additional: body.additional ?? before?.additional ?? 'accept',
    surfaces: body.surfaces ?? before?.surfaces ?? surfaces,
    purpose: body.purpose ?? before?.purpose ?? 'analytics_storage',
    // A successor belongs to the end of one version, not to the next version.
    ...(body.replaced_by !== undefined && { replaced_by: body.replaced_by }),
    ...(severities !== undefined && { severities }),
  }
  refuseProblems(contract)
  return contract
}

function refuseProblems(contract: EventContract): void {
  const errors = contractProblems(contract).map(({ path, message }): FieldError => ({ field: path, message }))
  errors.push(...severityErrors(contract.severities ?? {}, 'severities.'))
  if (errors.length > 0) throw invalidContract(errors)
  const bytes = Buffer.byteLength(JSON.stringify(contract))
  if (bytes > contractBytesMax) {
    throw new Problem('payload-too-large', {
      detail: `The contract takes ${bytes} bytes as JSON; the limit is ${contractBytesMax}.`,
    })
  }
}

function invalidContract(errors: readonly FieldError[]): Problem {
  const listed = errors.map(({ field, message }) => `${field}: ${message}`).join(' ')
  return new Problem('invalid-parameter', { detail: `Correct the contract. ${listed}`, errors })
}

type RuleShape = Omit<PropertyRule, 'items' | 'properties'> & {
  items?: unknown
  properties?: Readonly<Record<string, unknown>>
}

let compiledRule: ValidateFunction<RuleShape> | undefined

/** Compiled for the first draft, and not at the start of every process. */
function ruleCheck(): ValidateFunction<RuleShape> {
  compiledRule ??= new Ajv({ strict: false }).compile<RuleShape>(PropertyRuleShape)
  return compiledRule
}

const nameCharactersMax = 200

/** The route's shape judges only the top level, since JSON Schema of one file cannot be its own member. */
function readRules(
  rules: Readonly<Record<string, unknown>>,
  path: string,
  depth: number,
  errors: FieldError[],
): Record<string, PropertyRule> {
  const read = Object.entries(rules).map(([name, rule]): [string, PropertyRule] => {
    const field = `${path}.${name.slice(0, nameCharactersMax)}`
    const message = nameProblem(name)
    if (message !== null) errors.push({ field, message })
    return [name, readRule(rule, field, depth, errors)]
  })
  return Object.fromEntries(read)
}

function nameProblem(name: string): string | null {
  if (name === '' || name.length > nameCharactersMax)
    return `Give the property a name of 1 to ${nameCharactersMax} characters.`
  return /\p{Cc}/u.test(name) || !name.isWellFormed() ? 'Leave control characters out of the name.' : null
}

const anyRule: PropertyRule = { type: 'object' }

function readRule(value: unknown, path: string, depth: number, errors: FieldError[]): PropertyRule {
  // Deeper ones are refused by the gate's own check; here it only matters that the walk has an end.
  if (depth > depthMax + 1) return anyRule
  const isRule = ruleCheck()
  if (!isRule(value)) {
    for (const { instancePath, message, params } of isRule.errors ?? []) {
      const member = [
        instancePath.slice(1).replaceAll('/', '.'),
        params.missingProperty,
        params.additionalProperty,
      ]
      errors.push({
        field: [path, ...member].filter((part) => typeof part === 'string' && part !== '').join('.'),
        message: `It ${message ?? 'is not valid'}.`,
      })
    }
    return anyRule
  }
  const { items, properties, ...rule } = value
  return {
    ...rule,
    ...(items !== undefined && { items: readRule(items, `${path}[]`, depth + 1, errors) }),
    ...(properties !== undefined && { properties: readRules(properties, path, depth + 1, errors) }),
  }
}
