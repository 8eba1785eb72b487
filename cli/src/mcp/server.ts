import { ApiProblem, type Client, getContract, isRecord, listContracts } from '@assay/contract'
import {
  fromJsonSchema,
  type JsonSchemaType,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { toEventContract } from '../registry/remote.ts'
import type { AnyTool, ToolWorld } from './tool.ts'
import { addEvent } from './tools/add-event.ts'
import { listQuestionTerms, listSavedReports, runQuestion } from './tools/ask-questions.ts'
import { explainOutcome } from './tools/explain-outcome.ts'
import { explainReceipt } from './tools/explain-receipt.ts'
import { listEvents } from './tools/list-events.ts'
import { readAnomalies, readEventHealth } from './tools/read-event-health.ts'
import { listAllSites, readOverview } from './tools/read-overview.ts'
import { readDropOff, readFunnels, readHealth } from './tools/read-reports.ts'
import { runSqlQuery } from './tools/run-sql.ts'
import { validateEvent } from './tools/validate-event.ts'

export const tools: readonly AnyTool[] = [
  listEvents,
  addEvent,
  validateEvent,
  explainReceipt,
  listAllSites,
  readOverview,
  listQuestionTerms,
  runQuestion,
  runSqlQuery,
  listSavedReports,
  readFunnels,
  readDropOff,
  readHealth,
  readEventHealth,
  readAnomalies,
  explainOutcome,
]

const instructions =
  'Assay validates analytics events against contracts before they count. Before you write a tracking call, look for ' +
  'the event with list_events; add one with add_event only if there is none; check payloads with validate_event. ' +
  'When someone asks where an event went, use explain_receipt. Answer questions about numbers with run_query, ' +
  'and with run_sql what it cannot say.'

type McpOptions = ToolWorld & { version: string }

/** One server per connection (stdio) or per request (HTTP); the same for both transports. */
export function createMcpServer({ version, ...world }: McpOptions): McpServer {
  const server = new McpServer({ name: 'assay', title: 'Assay', version }, { instructions })
  for (const tool of tools) addTool(server, tool, world)
  addContracts(server, world.client)
  return server
}

/** Removes the symbols that the schema library adds; they are not part of the JSON Schema. */
function schemaOf<Value>(shape: object) {
  // boundary: a shape is a JSON Schema by construction.
  return fromJsonSchema<Value>(portable(JSON.parse(JSON.stringify(shape))) as JsonSchemaType)
}

/** Line breaks are part of a name, too. */
const anyName = '^[\\s\\S]*$'

/**
 * Turns pattern properties into additional properties: not every assistant supports patterns of names. Names of shapes
 * are for our own documents.
 */
function portable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(portable)
  if (!isRecord(schema)) return schema
  const { patternProperties, 'x-shape': _named, ...rest } = schema
  const members = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, portable(value)]))
  if (!isRecord(patternProperties)) return members
  const ofAnyName = patternProperties[anyName]
  return ofAnyName === undefined
    ? { ...members, patternProperties: portable(patternProperties) }
    : { ...members, additionalProperties: portable(ofAnyName) }
}

/** Created once: over HTTP every request gets its own server. */
const shapes = new Map(
  tools.map(({ name, input, output }) => [
    name,
    {
      inputSchema: schemaOf<Readonly<Record<string, unknown>>>(input),
      outputSchema: schemaOf<object>(output),
    },
  ]),
)

function addTool(server: McpServer, tool: AnyTool, world: ToolWorld): void {
  const { name, title, description, effect } = tool
  const shape = shapes.get(name)
  if (shape === undefined) return
  const config = {
    title,
    description,
    ...shape,
    annotations: {
      title,
      readOnlyHint: effect === 'reads',
      destructiveHint: false,
      idempotentHint: effect === 'reads',
      // Everything happens in one workspace of one server.
      openWorldHint: false,
    },
  }
  server.registerTool(name, config, async (given) => {
    try {
      const answer = { ...(await tool.run(given, world)) }
      return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer }
    } catch (error) {
      if (!(error instanceof ApiProblem)) throw error
      return { isError: true, content: [{ type: 'text', text: refusal(error) }] }
    }
  })
}

/** Lists what is wrong field by field, so that an assistant can correct its call. */
function refusal({ body, status, detail }: ApiProblem): string {
  const fields = (body.errors ?? []).map(({ field, message }) => `\n- ${field}: ${message}`)
  return `${body.title} (${status}): ${detail}${fields.join('')}`
}

const uriOf = (key: string) => `assay://contracts/${key}`
const resourcesPerPage = 50

/** Contracts as resources, in pages; an assistant reads only those it needs. */
function addContracts(server: McpServer, client: Client): void {
  const about = {
    title: 'Event contracts',
    description: 'The contract of one event, by key',
    mimeType: 'application/json',
  }
  const template = new ResourceTemplate('assay://contracts/{key}', { list: undefined })
  server.registerResource('contract', template, about, async (uri, { key }) => {
    const contract = await readContract(client, uri.href, String(key))
    const text = JSON.stringify(contract, null, 2)
    return { contents: [{ uri: uri.href, mimeType: 'application/json', text }] }
  })
  server.server.setRequestHandler('resources/list', async ({ params }) => {
    const cursor = params?.cursor
    const query = { limit: resourcesPerPage, ...(cursor !== undefined && { cursor }) }
    const { data, next_cursor } = await client.call(listContracts, { query })
    return {
      resources: data.map(({ key, name, description }) => ({
        uri: uriOf(key),
        name: key,
        title: name,
        description,
        mimeType: 'application/json',
      })),
      ...(next_cursor !== null && { nextCursor: next_cursor }),
    }
  })
}

async function readContract(client: Client, uri: string, key: string): Promise<object> {
  try {
    return toEventContract(await client.call(getContract, { params: { key }, query: {} }))
  } catch (error) {
    // A malformed key is refused for its form; for a reader it does not exist either.
    const isMissing = error instanceof ApiProblem && (error.status === 404 || error.status === 422)
    throw isMissing ? new ResourceNotFoundError(uri) : error
  }
}
