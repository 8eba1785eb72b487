import { type BatchResult, cut, type IngestResult, type Issue, Problem, problems } from '@assay/contract'
import type { ItemResult } from './item-result.ts'

export function trackText(result: ItemResult, publicUrl: string): string {
  const receiptUrl = `${publicUrl}/v1/events/${encodeURIComponent(result.eventId)}/receipt`
  return `{${standing(result)},"issues":${issuesText(result)},"receipt_url":${JSON.stringify(receiptUrl)}}`
}

export function trackRefusal(result: ItemResult): Problem {
  const errors = result.issues.map(({ code, field, message, expected, actual }) => ({
    code,
    field,
    message,
    expected,
    actual,
  }))
  return new Problem('contract-violation', {
    detail: refusalDetail(result),
    errors,
    members: { event_id: result.eventId, outcome: 'reject' },
  })
}

function refusalDetail({ issues }: ItemResult): string {
  const refused = issues.filter((issue) => issue.severity === 'reject')
  const [first] = refused
  if (first === undefined) return 'The event was rejected.'
  // The issues contain everything; this is the line that people read in a log.
  const rest = refused.length === 1 ? '' : ` (and ${refused.length - 1} more)`
  return `${cut(first.message, detailCharactersMax)}${rest}`
}

const detailCharactersMax = 200

/** Strict means all or nothing: every result has its verdict, and nothing was stored. */
export function strictRefusal(results: readonly ItemResult[]): Problem {
  const failed = results
    .map((result, index) => ({ result, index }))
    .filter(({ result }) => result.outcome !== 'accept' && result.outcome !== 'warn')
  const errors = failed.flatMap(({ result, index }) =>
    result.issues.map(({ code, field, message, expected, actual }) => ({
      field: field === '' ? `batch[${index}]` : `batch[${index}].${field}`,
      code,
      message,
      expected,
      actual,
    })),
  )
  return new Problem('contract-violation', {
    detail: `${failed.length} of ${results.length} events did not pass, so none was stored.`,
    errors,
    members: {
      results: results.map((result, index) => ({ index, event_id: result.eventId, outcome: result.outcome })),
    },
  })
}

/**
 * A batch may have a thousand nearly equal results, so the answer is built as text: building objects and
 * serialising them by their schema took as long as validating the events.
 */
export function batchText(requestId: string, results: readonly ItemResult[], errorsUrl: string): string {
  const summary = { accept: 0, warn: 0, quarantine: 0, reject: 0, duplicate: 0 }
  let list = ''
  for (const [index, result] of results.entries()) {
    if (result.duplicate) summary.duplicate++
    else summary[result.outcome]++
    if (index > 0) list += ','
    list += `{"index":${index},${standing(result)},"retryable":false,"issues":${issuesText(result)}`
    if (result.outcome === 'reject')
      list += `,"problem":${JSON.stringify(embeddedProblem(result, errorsUrl))}`
    list += '}'
  }
  return `{"request_id":${JSON.stringify(requestId)},"summary":${JSON.stringify(summary)},"results":[${list}]}`
}

function standing({ eventId, outcome, duplicate, duplicateOf }: ItemResult): string {
  const link = duplicateOf === '' ? '' : `,"duplicate_of":${JSON.stringify(duplicateOf)}`
  return `"event_id":${JSON.stringify(eventId)},"outcome":"${outcome}","duplicate":${duplicate}${link}`
}

function issuesText({ issues }: ItemResult): string {
  if (issues.length === 0) return '[]'
  return JSON.stringify(
    issues.map(({ code, field, message, expected, actual }) => ({ code, field, message, expected, actual })),
  )
}

function embeddedProblem(
  result: ItemResult,
  errorsUrl: string,
): NonNullable<BatchResult['results'][number]['problem']> {
  const { slug } = trackRefusal(result)
  const { title, status } = problems[slug]
  return { type: `${errorsUrl}/${slug}`, title, status, detail: refusalDetail(result) }
}

export type Verdicts = Omit<IngestResult, 'results'>

/** How many events got which verdict; repeats are counted as such alone. */
export function verdictsOf(results: readonly ItemResult[]): Verdicts {
  const count = (outcome: ItemResult['outcome']) =>
    results.filter((result) => result.outcome === outcome && !result.duplicate).length
  return {
    accepted: count('accept'),
    warned: count('warn'),
    quarantined: count('quarantine'),
    rejected: count('reject'),
    duplicates: results.filter((result) => result.duplicate).length,
  }
}

export function ingestAnswer(results: readonly ItemResult[]): IngestResult {
  return {
    ...verdictsOf(results),
    results: results.map((result, index) => ({
      index,
      eventId: result.eventId,
      outcome: result.outcome,
      duplicate: result.duplicate,
      issues: toIssues(result),
    })),
  }
}

const noIssues: Issue[] = []

function toIssues({ issues }: ItemResult): Issue[] {
  return issues.length === 0 ? noIssues : [...issues]
}
