import { createHash } from 'node:crypto'
import { type Outcome, outcomes, severityRanks } from '@assay/contract'
import type { Paint } from '../paint.ts'
import type { FileProblem } from '../project/json-file.ts'

export type EventResult = {
  file: string
  line: number
  index: number | null
  outcome: Outcome
  name: string
  contract_version: string | null
  issues: readonly { code: string; field: string; message: string; severity: Outcome }[]
  properties: unknown
}

export type Validation = {
  problems: readonly FileProblem[]
  counts: Readonly<Record<Outcome, number>>
  /** Only the first results are kept; all are counted. */
  results: readonly EventResult[]
  isCut: boolean
  contracts: number
}

/** An annotation of a file, as CI systems show it. */
type Remark = { file: string; line: number; isError: boolean; title: string; message: string }

/** Whether anything is at least as bad as the threshold. */
export function hasFailed({ problems, counts }: Validation, failOn: Outcome): boolean {
  const failing = outcomes.filter((outcome) => severityRanks[outcome] >= severityRanks[failOn])
  return problems.length > 0 || failing.some((outcome) => counts[outcome] > 0)
}

function remarksOf({ problems, results }: Validation, failOn: Outcome): Remark[] {
  const ofFiles = problems.map(({ file, line, path, message }) => ({
    file,
    line,
    isError: true,
    title: 'contract',
    message: [path, message].filter((part) => part !== '').join(': '),
  }))
  const ofEvents = results.flatMap(({ file, line, index, name, issues }) =>
    issues.map(({ code, field, message, severity }) => ({
      file,
      line,
      isError: severityRanks[severity] >= severityRanks[failOn],
      title: code,
      message: `${name || 'event'}${index === null ? '' : ` [${index}]`}${field ? `, ${field}` : ''}: ${message}`,
    })),
  )
  return [...ofFiles, ...ofEvents]
}

/** https://docs.github.com/actions/reference/workflow-commands: data and properties are escaped differently. */
export function githubLines(validation: Validation, failOn: Outcome): string[] {
  const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
  const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
  return remarksOf(validation, failOn).map(({ file, line, isError, title, message }) => {
    const place = `file=${property(file)},line=${line},title=${property(title)}`
    return `::${isError ? 'error' : 'warning'} ${place}::${data(message)}`
  })
}

/** GitLab's Code Quality report, an artifact whose entries are identified by their fingerprint. */
export function gitlabReport(validation: Validation, failOn: Outcome): object[] {
  return remarksOf(validation, failOn).map(({ file, line, isError, title, message }) => ({
    description: message,
    check_name: title,
    fingerprint: createHash('sha256').update(`${file}\n${line}\n${title}\n${message}`).digest('hex'),
    severity: isError ? 'major' : 'minor',
    location: { path: file, lines: { begin: line } },
  }))
}

const colours = { accept: 'green', warn: 'yellow', quarantine: 'red', reject: 'red' } as const

export function textLines(validation: Validation, paint: Paint): string[] {
  const { problems, counts, results, isCut, contracts } = validation
  const notable = results.filter(({ outcome }) => outcome !== 'accept')
  const lines = problems.map(
    ({ file, line, path, message }) =>
      `${paint('red', 'contract')}  ${file}:${line}  ${[path, message].filter((part) => part !== '').join(': ')}`,
  )
  for (const { file, line, index, outcome, name, issues } of notable) {
    const place = `${file}:${line}${index === null ? '' : `[${index}]`}`
    lines.push(`${paint(colours[outcome], outcome)}  ${place}  ${name}`)
    for (const { code, field, message } of issues)
      lines.push(`    ${code}${field ? ` ${field}` : ''}: ${message}`)
  }
  const total = outcomes.reduce((sum, outcome) => sum + counts[outcome], 0)
  if (isCut) lines.push(`Only the first ${results.length} events are shown.`)
  if (problems.length === 0 && contracts > 0) lines.push(`${contracts} contracts are sound.`)
  if (problems.length > 0) lines.push(`${problems.length} problems in the contract files.`)
  if (total > 0)
    lines.push(`${total} events: ${outcomes.map((outcome) => `${counts[outcome]} ${outcome}`).join(', ')}.`)
  return lines
}

export function jsonReport(validation: Validation, failOn: Outcome): object {
  const { problems, counts, results, isCut, contracts } = validation
  return {
    ok: !hasFailed(validation, failOn),
    contracts: { sound: contracts, problems },
    events: counts,
    results,
    truncated: isCut,
  }
}
