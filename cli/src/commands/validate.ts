import { createReadStream, existsSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Outcome as EventOutcome, readTime } from '@assay/contract'
import type { Command, Context, Outcome } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { readEventFiles } from '../project/event-file.ts'
import { findProject, type Project } from '../project/project.ts'
import { nothingPulled, readRegistryFile } from '../project/registry-file.ts'
import { judgeCases } from '../validate/cases.ts'
import { type JudgeEvent, openGate } from '../validate/gate.ts'
import { readEvents } from '../validate/read-events.ts'
import {
  type EventResult,
  githubLines,
  gitlabReport,
  hasFailed,
  jsonReport,
  textLines,
  type Validation,
} from '../validate/report.ts'

export const validateCommand: Command = {
  name: 'validate',
  summary: 'check the event files, and validate events with the gate, without a server',
  usage: 'assay validate [file … | -]',
  options: {
    'fail-on': {
      type: 'string',
      value: 'warn|quarantine|reject',
      help: 'lowest verdict that fails (else quarantine)',
    },
    format: {
      type: 'string',
      value: 'text|github|gitlab',
      help: 'annotations for CI; github is the default in GitHub Actions',
    },
    output: { type: 'string', value: 'file', help: 'write the GitLab report to this file' },
    public: { type: 'boolean', help: 'validate as if sent with a public key' },
    drafts: { type: 'boolean', help: 'treat drafts as published' },
    at: { type: 'string', value: 'time', help: 'validate as if received at this time (else now)' },
    cases: {
      type: 'string',
      value: 'file',
      help: 'check a file of cases, each with its expected verdict',
    },
  },
  examples: [
    'assay validate                      # the event files',
    'assay validate events.ndjson --json',
    'tail -n 1000 app.log | assay validate -',
  ],
  run: validate,
}

/** Results kept for the report; a log may have millions of events. */
const resultsMax = 10_000
const failLevels = ['warn', 'quarantine', 'reject'] as const
const formats = ['text', 'github', 'gitlab'] as const

async function validate(context: Context): Promise<Outcome> {
  const { options, positionals, world, paint } = context
  const cases = options.text('cases')
  if (cases !== undefined) return judgeCases(context, cases)
  const failOn = options.choice('fail-on', failLevels) ?? 'quarantine'
  const isOnGithub = world.environment.GITHUB_ACTIONS === 'true'
  const format = options.choice('format', formats) ?? (isOnGithub ? 'github' : 'text')
  const project = findProject(world.directory)
  if (project === null && positionals.length === 0) {
    throw misuse('There is no assay.json here or above, and no file to validate.', 'Begin with: assay init')
  }
  const validation = await judgeAll(context, project, positionals)
  const exitCode = hasFailed(validation, failOn) ? exitCodes.found : exitCodes.fine
  const lines = textLines(validation, paint)
  if (format === 'gitlab') return { exitCode, ...gitlabOutcome(context, validation, failOn, lines) }
  return {
    exitCode,
    data: jsonReport(validation, failOn),
    lines: format === 'github' ? [...githubLines(validation, failOn), ...lines] : lines,
  }
}

function gitlabOutcome(
  { options, world }: Context,
  validation: Validation,
  failOn: EventOutcome,
  lines: readonly string[],
): Pick<Outcome, 'data' | 'lines'> {
  const report = gitlabReport(validation, failOn)
  const file = options.text('output')
  const text = JSON.stringify(report, null, 2)
  if (file === undefined) return { data: report, lines: [text] }
  writeFileSync(resolve(world.directory, file), `${text}\n`)
  return { data: jsonReport(validation, failOn), lines }
}

async function judgeAll(
  context: Context,
  project: Project | null,
  sources: readonly string[],
): Promise<Validation> {
  const read =
    project === null ? { files: [], problems: [] } : readEventFiles(project.root, project.config.events)
  const judge = openGate({
    registry: project === null ? nothingPulled : readRegistryFile(project),
    contracts: read.files.map(({ contract }) => contract),
    keyClass: context.options.flag('public') ? 'public' : 'secret',
    receivedAt: receivedAt(context),
    withDrafts: context.options.flag('drafts'),
  })
  const counts: Record<EventOutcome, number> = { accept: 0, warn: 0, quarantine: 0, reject: 0 }
  const results: EventResult[] = []
  let total = 0
  for (const source of sources) {
    for await (const result of judgeSource(context, source, judge)) {
      counts[result.outcome] += 1
      total += 1
      if (results.length < resultsMax) results.push(result)
      if (total % 100_000 === 0) context.progress(`${total} events judged`)
    }
  }
  return {
    problems: read.problems,
    contracts: read.files.length,
    counts,
    results,
    isCut: total > results.length,
  }
}

function receivedAt({ options, world }: Context): number {
  const at = options.text('at')
  if (at === undefined) return world.now()
  const time = readTime(at)
  if (time === undefined) throw misuse(`--at ${at} is no time.`, 'Write it as 2026-03-01T10:00:00Z.')
  return time.ms
}

async function* judgeSource(
  context: Context,
  source: string,
  judge: JudgeEvent,
): AsyncGenerator<EventResult> {
  const { directory, input } = context.world
  const path = resolve(directory, source)
  if (source !== '-' && !existsSync(path)) throw misuse(`There is no file ${source}.`)
  const file = source === '-' ? '<stdin>' : source
  for await (const event of readEvents(source === '-' ? input() : createReadStream(path))) {
    const verdict = judge(event)
    yield {
      file,
      line: event.line,
      index: event.index,
      outcome: verdict.outcome,
      name: verdict.name,
      contract_version: verdict.contractVersion,
      issues: verdict.issues,
      properties: verdict.properties,
    }
  }
}
