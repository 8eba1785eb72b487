import { printedText } from '../../printed-text.ts'
import { typeName } from '../envelope/envelope-fields.ts'
import { depthMax } from '../envelope/size.ts'
import type { Findings } from '../issues.ts'
import { report, severityOf } from '../issues.ts'
import { findPersonalData } from '../pii/pii.ts'
import type { PiiPolicy } from '../pii/pii-policy.ts'
import { describeValue, reportPersonalData } from '../pii/pii-report.ts'
import type { Properties } from '../raw-event.ts'
import { isRecord, setOwn } from '../raw-event.ts'
import { coerce, hasType, notConvertible } from './coerce.ts'
import type { CompiledContract, CompiledMembers, CompiledProperty, ValueCheck } from './compile.ts'

/** Marks a value that was removed from the event and set aside. */
const aside = Symbol('aside')

type Walk = {
  compiled: CompiledContract | undefined
  /** The id of the mapping rule applied: properties that it leaves empty are its fault, not the sender's. */
  ruleId: string | undefined
  findings: Findings
  setAside: Record<string, unknown> | undefined
}

type CheckedProperties = { properties: Properties; setAside: Properties | undefined }

/** Checks every property at every depth. The input is not modified; a changed branch is copied. */
export function checkProperties(
  sent: Properties,
  compiled: CompiledContract | undefined,
  ruleId: string | undefined,
  findings: Findings,
): CheckedProperties {
  const walk: Walk = { compiled, ruleId, findings, setAside: undefined }
  const properties = checkMembers(walk, compiled?.members, sent, '', compiled?.pii ?? 'default', 1)
  return { properties, setAside: walk.setAside }
}

function checkMembers(
  walk: Walk,
  members: CompiledMembers | undefined,
  sent: Properties,
  prefix: string,
  pii: PiiPolicy,
  depth: number,
): Properties {
  let copy: Record<string, unknown> | undefined
  let requiredSeen = 0
  for (const key of Object.keys(sent)) {
    const value = sent[key]
    const property = members?.byName.get(key)
    if (property === undefined) {
      if (members !== undefined) reportUnexpected(walk, `${prefix}${key}`)
      scan(walk, value, key, prefix, pii, depth)
      continue
    }
    if (value === null || value === undefined) continue
    if (property.isRequired) requiredSeen += 1
    const checked = checkValue(walk, property, value, key, prefix, depth)
    if (checked === value) continue
    copy ??= { ...sent }
    if (checked === aside) delete copy[key]
    else setOwn(copy, key, checked)
  }
  if (members !== undefined && requiredSeen < members.required.length)
    reportMissing(walk, members, sent, prefix)
  return copy ?? sent
}

/** Checks a present value; returns it, its converted form, or `aside`. */
function checkValue(
  walk: Walk,
  property: CompiledProperty,
  sent: unknown,
  key: string,
  prefix: string,
  depth: number,
): unknown {
  let value = sent
  if (property.isDeprecated) reportDeprecated(walk, `${prefix}${key}`)
  if (!hasType(value, property.type)) {
    value = coerce(value, property.type)
    if (value === notConvertible) return reportMistyped(walk, property, sent, key, prefix, depth)
    reportCoerced(walk, property, sent, `${prefix}${key}`)
  }
  if (property.check !== undefined) value = checkAllowed(walk, property.check, value, key, prefix)
  if (Array.isArray(value)) return checkElements(walk, property, value, key, prefix, depth)
  if (isRecord(value)) {
    if (depth >= depthMax) return value
    return checkMembers(walk, property.members, value, `${prefix}${key}.`, property.pii, depth + 1)
  }
  scan(walk, value, key, prefix, property.pii, depth)
  return value
}

function checkElements(
  walk: Walk,
  property: CompiledProperty,
  sent: readonly unknown[],
  key: string,
  prefix: string,
  depth: number,
): unknown {
  const { items } = property
  if (items === undefined || depth >= depthMax) {
    scan(walk, sent, key, prefix, property.pii, depth)
    return sent
  }
  let isChanged = false
  const checked: unknown[] = []
  for (let index = 0; index < sent.length; index += 1) {
    const element = sent[index]
    const result =
      element === null || element === undefined
        ? element
        : checkValue(walk, items, element, `[${index}]`, `${prefix}${key}`, depth + 1)
    if (result !== element) isChanged = true
    if (result !== aside) checked.push(result)
  }
  return isChanged ? checked : sent
}

/** Looks for personal data in an undeclared value, at any depth. */
function scan(walk: Walk, value: unknown, key: string, prefix: string, pii: PiiPolicy, depth: number): void {
  if (pii === 'allow') return
  if (typeof value === 'string' || typeof value === 'number') {
    const kind = findPersonalData(key, value, pii)
    if (kind !== undefined) reportPersonalData(walk.findings, `${prefix}${key}`, kind, value)
  } else if (depth < depthMax && typeof value === 'object' && value !== null) {
    scanMembers(walk, value, key, prefix, pii, depth)
  }
}

function scanMembers(
  walk: Walk,
  value: object,
  key: string,
  prefix: string,
  pii: PiiPolicy,
  depth: number,
): void {
  if (Array.isArray(value)) {
    // An element is checked by the name of its list: `phones: ["…"]` contains phones.
    for (let index = 0; index < value.length; index += 1) {
      const element: unknown = value[index]
      if (typeof element !== 'string' && typeof element !== 'number') {
        scan(walk, element, `[${index}]`, `${prefix}${key}`, pii, depth + 1)
        continue
      }
      const kind = findPersonalData(key, element, pii)
      if (kind !== undefined) reportPersonalData(walk.findings, `${prefix}${key}[${index}]`, kind, element)
    }
    return
  }
  for (const [name, member] of Object.entries(value))
    scan(walk, member, name, `${prefix}${key}.`, pii, depth + 1)
}

function checkAllowed(walk: Walk, check: ValueCheck, value: unknown, key: string, prefix: string): unknown {
  const complaint = check(value)
  if (complaint === undefined) return value
  const field = `${prefix}${key}`
  if (complaint.instead !== undefined) {
    report(walk.findings, {
      code: 'type_coerced',
      field,
      message: `Send ${field} as ${printedText(complaint.instead)}; it was stored so.`,
      expected: complaint.expected,
      actual: describeValue(key, value),
    })
    return complaint.instead
  }
  report(walk.findings, {
    code: 'value_not_allowed',
    field,
    message: `Send ${field} as ${complaint.expected}, or widen the contract and release the event.`,
    expected: complaint.expected,
    actual: describeValue(key, value),
  })
  return value
}

function reportMistyped(
  walk: Walk,
  property: CompiledProperty,
  sent: unknown,
  key: string,
  prefix: string,
  depth: number,
): unknown {
  const field = `${prefix}${key}`
  scan(walk, sent, key, prefix, property.pii, depth)
  const expected = property.type
  const actual = typeName(sent)
  if (property.isRequired) {
    const message = `Send ${field} as ${expected}; this ${actual} cannot be converted without loss.`
    report(walk.findings, { code: 'type_mismatch', field, message, expected, actual })
    return sent
  }
  const message = `Send ${field} as ${expected}; this ${actual} was set aside.`
  report(walk.findings, { code: 'unexpected_type', field, message, expected, actual })
  walk.setAside ??= {}
  setOwn(walk.setAside, field, sent)
  return aside
}

function reportCoerced(walk: Walk, property: CompiledProperty, sent: unknown, field: string): void {
  report(walk.findings, {
    code: 'type_coerced',
    field,
    message: `Send ${field} as ${property.type}; it was converted.`,
    expected: property.type,
    actual: typeName(sent),
  })
}

function reportMissing(walk: Walk, members: CompiledMembers, sent: Properties, prefix: string): void {
  for (const name of members.required) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (value !== undefined && value !== null) continue
    const field = `${prefix}${name}`
    const expected = members.byName.get(name)?.type ?? null
    const actual = value === null ? 'null' : null
    const isMappingAtFault = walk.ruleId !== undefined && prefix === ''
    report(walk.findings, {
      code: isMappingAtFault ? 'mapping_incomplete' : 'required_missing',
      field,
      message: isMappingAtFault
        ? `Let rule ${walk.ruleId} map a property to ${field}, or send ${field}; then release the event.`
        : `Send ${field}: the contract requires it.`,
      expected,
      actual,
    })
  }
}

function reportUnexpected(walk: Walk, field: string): void {
  const { compiled, findings } = walk
  if (compiled === undefined || compiled.isOpen) return
  const { additional } = compiled.contract
  const isSaidByContract =
    findings.contractSeverities?.unexpected_property === undefined && additional !== 'accept'
  const severity = isSaidByContract ? additional : severityOf(findings, 'unexpected_property')
  if (severity === 'accept') return
  const finding = {
    code: 'unexpected_property',
    field,
    message: `Add ${field} to the contract, or stop sending it.`,
    expected: null,
    actual: null,
  } as const
  report(findings, finding, severity)
}

function reportDeprecated(walk: Walk, field: string): void {
  report(walk.findings, {
    code: 'deprecated_key',
    field,
    message: `Stop sending ${field}: the contract marks it as deprecated.`,
    expected: null,
    actual: null,
  })
}
