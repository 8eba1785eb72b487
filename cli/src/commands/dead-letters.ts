import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type Client,
  type DeadLetter,
  deadLetterStates,
  discardDeadLetter,
  getDeadLetter,
  isRecord,
  listDeadLetters,
  loadDeadLetter,
  loadDeadLetters,
} from '@assay/contract'
import { type Command, type Context, type Outcome, serverOptions } from '../command.ts'
import { exitCodes, misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'
import { connect } from '../server/connection.ts'
import { dataDirOf, dataDirOption } from './backup.ts'

const usage = 'assay dead-letters list|show|load|discard [<id>]'

export const deadLettersCommand: Command = {
  name: 'dead-letters',
  summary: 'list, load or discard acknowledged events that a store refused',
  usage: `${usage} [--state <state>] [--event <file>] [--all] [--data-dir <path>]`,
  options: {
    ...serverOptions,
    state: { type: 'string', value: 'state', help: 'list: waiting, loaded or discarded (else waiting)' },
    event: { type: 'string', value: 'file', help: 'load: the repaired event as JSON, as for /v1/track' },
    all: { type: 'boolean', help: 'load: all waiting ones, unchanged' },
    'data-dir': {
      ...dataDirOption['data-dir'],
      help: 'list, show: read the file of this data directory instead of asking a server',
    },
  },
  examples: [
    'assay dead-letters list',
    'assay dead-letters load dl_0123… --event repaired.json',
    'assay dead-letters load --all',
    'assay dead-letters list --data-dir /var/lib/assay',
  ],
  run: deadLetters,
}

const listedMax = 1_000
const pageRows = 200

async function deadLetters(context: Context): Promise<Outcome> {
  const [act, id] = context.positionals
  if (context.options.text('data-dir') !== undefined) return fromFile(context, act, id)
  const { client } = connect(context, findProject(context.world.directory))
  if (act === 'list') return list(context, client)
  if (act === 'load' && context.options.flag('all')) return loadAll(client)
  if (id === undefined || (act !== 'show' && act !== 'load' && act !== 'discard')) {
    throw misuse('Name an action and a dead letter.', usage)
  }
  if (act === 'show') return show(client, id)
  return act === 'load' ? load(context, client, id) : discard(client, id)
}

async function list(context: Context, client: Client): Promise<Outcome> {
  const state = context.options.choice('state', deadLetterStates) ?? 'waiting'
  const letters: DeadLetter[] = []
  let cursor: string | undefined
  do {
    const query = { state, limit: pageRows, ...(cursor !== undefined && { cursor }) }
    const page = await client.call(listDeadLetters, { query })
    letters.push(...page.data)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined && letters.length < listedMax)
  const more = cursor === undefined ? [] : [`Only the latest ${letters.length} are listed.`]
  const lines = letters.length === 0 ? [`No dead letter is ${state}.`] : letters.map(lineOf)
  return { exitCode: exitCodes.fine, data: { data: letters }, lines: [...lines, ...more] }
}

function lineOf({ id, failed_at, step, name, event_id, reason, stored }: DeadLetter): string {
  const what = `${name ?? 'unreadable'} ${event_id ?? ''}`.trim()
  return `${id}  ${failed_at}  ${step}${stored ? ' (event stored)' : ''}  ${what}: ${reason}`
}

async function show(client: Client, id: string): Promise<Outcome> {
  const letter = await client.call(getDeadLetter, { params: { id } })
  const { line: _, ...rest } = letter
  return { exitCode: exitCodes.fine, data: letter, lines: [JSON.stringify(rest, null, 2)] }
}

async function load(context: Context, client: Client, id: string): Promise<Outcome> {
  const file = context.options.text('event')
  const body = file === undefined ? {} : { event: readEvent(resolve(context.world.directory, file)) }
  const done = await client.call(loadDeadLetter, { params: { id }, body })
  const verdict = done.outcome === null ? '' : `, verdict ${done.outcome}`
  return { exitCode: exitCodes.fine, data: done, lines: [`${id} is in the log again${verdict}.`] }
}

function readEvent(path: string): Record<string, unknown> {
  if (!existsSync(path)) throw misuse(`${path} is not there.`)
  try {
    const event: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(event)) return { ...event }
  } catch {
    // Reported below: invalid JSON and a wrong type need the same fix.
  }
  throw misuse(`${path} is not one event as a JSON object.`)
}

async function loadAll(client: Client): Promise<Outcome> {
  let loaded = 0
  let more = true
  while (more) {
    const done = await client.call(loadDeadLetters, { body: { filter: {} } })
    loaded += done.loaded
    more = done.more && done.loaded > 0
  }
  return {
    exitCode: exitCodes.fine,
    data: { loaded },
    lines: [`${loaded} dead letters are in the log again.`],
  }
}

async function discard(client: Client, id: string): Promise<Outcome> {
  const done = await client.call(discardDeadLetter, { params: { id } })
  return { exitCode: exitCodes.fine, data: done, lines: [`${id} is discarded.`] }
}

/** Lines that no list shows: those without a readable workspace, and those beyond the maximum of the list. */
function fromFile(context: Context, act: string | undefined, id: string | undefined): Outcome {
  if (act !== 'list' && act !== 'show') {
    throw misuse(
      'The file can be listed and shown; the server takes letters out of it as soon as there is space.',
    )
  }
  const letters = readFile(join(dataDirOf(context), 'log', 'dead-letters.ndjson'))
  if (act === 'list') {
    const lines = letters.map(
      ({ id: own, failed_at, step, reason }) => `${own}  ${failed_at}  ${step}: ${reason}`,
    )
    const shown = lines.length === 0 ? ['The file holds no dead letter.'] : lines
    return { exitCode: exitCodes.fine, data: { data: letters }, lines: shown }
  }
  const letter = letters.find((one) => one.id === id)
  if (letter === undefined) throw misuse(`There is no ${id ?? 'such dead letter'} in the file.`)
  const text = Buffer.from(String(letter.line), 'base64').toString('utf8')
  return { exitCode: exitCodes.fine, data: letter, lines: [text] }
}

/** A line cut off by a crash is still in the write-ahead log, so it is skipped here. */
function readFile(path: string): Record<string, unknown>[] {
  if (!existsSync(path)) return []
  const found = new Map<unknown, Record<string, unknown>>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    try {
      const letter: unknown = line === '' ? null : JSON.parse(line)
      if (isRecord(letter)) found.set(letter.id, { ...letter })
    } catch {
      // Cut off.
    }
  }
  return [...found.values()]
}
