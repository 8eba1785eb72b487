import { anchorOf, type Entry } from './contents.ts'
import { type Row, rowsOf, type Schema, typeOf } from './schema-rows.ts'

type Content = Readonly<Record<string, { schema?: Schema }>>
type Parameter = { name: string; in: string; required?: boolean; description?: string; schema?: Schema }
type Answer = { $ref?: string; description?: string; content?: Content }
type Operation = {
  summary: string
  description?: string
  tags: readonly string[]
  parameters?: readonly (Parameter | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Readonly<Record<string, Answer>>
  security?: readonly Readonly<Record<string, unknown>>[]
  'x-scope'?: string
}
type OpenApi = {
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    parameters: Readonly<Record<string, Parameter>>
    securitySchemes: Readonly<Record<string, { description: string }>>
  }
}
type Named = Operation & { method: string; path: string }

/** The reference as Markdown by its path: a page for each tag, and one that lists them. */
export function referenceOf(api: OpenApi): { entries: Entry[]; pages: Map<string, string> } {
  const byTag = Map.groupBy(operationsOf(api), ({ tags }) => tags[0] ?? 'Other')
  const entries = [...byTag.keys()].map((title) => ({ title, path: `api/${anchorOf(title)}.md` }))
  const pages = new Map([...byTag].map(([tag, list]) => [`api/${anchorOf(tag)}.md`, tagPage(tag, list, api)]))
  const rows = entries.map(({ title, path }) => {
    const count = byTag.get(title)?.length ?? 0
    return `| [${title}](${path.slice('api/'.length)}) | ${count} |`
  })
  const head = '# API reference\n\nEvery route of the [OpenAPI document](../openapi.json).\n\n'
  const index = `${head}| part | routes |\n|---|---|\n${rows.join('\n')}\n`
  pages.set('api/README.md', index)
  return { entries: [{ title: 'All parts', path: 'api/README.md' }, ...entries], pages }
}

function operationsOf({ paths }: OpenApi): Named[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path: path.replace(/\{(\w+)\}/g, ':$1'),
    })),
  )
}

function tagPage(tag: string, operations: readonly Named[], api: OpenApi): string {
  return [`# ${tag} API`, ...operations.map((operation) => operationText(operation, api))].join('\n\n')
}

function operationText(operation: Named, api: OpenApi): string {
  const parameters = (operation.parameters ?? []).flatMap((parameter) =>
    '$ref' in parameter ? (api.components.parameters[lastOf(parameter.$ref)] ?? []) : parameter,
  )
  const parts = [
    `## ${escapeText(operation.summary)}`,
    `\`\`\`http\n${operation.method} ${operation.path}\n\`\`\``,
    escapeText(operation.description ?? ''),
    credentialsText(operation, api),
    parameters.length > 0 ? `**Parameters**\n\n${parameterTable(parameters)}` : '',
    operation.requestBody ? `**Body**\n\n${contentText(operation.requestBody.content)}` : '',
    `**Answers**\n\n${answersText(operation.responses)}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

function credentialsText({ security = [], 'x-scope': scope }: Named, api: OpenApi): string {
  const ways = security.flatMap((way) => Object.keys(way))
  if (ways.length === 0) return 'Credentials: none.'
  const described = ways.map((way) => api.components.securitySchemes[way]?.description ?? way)
  return `Credentials: ${described.join('; ')}.${scope ? ` Scope \`${scope}\`.` : ''}`
}

function parameterTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, required = false, description, schema = {} }) => {
    const [row] = rowsOf({ properties: { [name]: schema } })
    const words = description ?? row?.description ?? ''
    return `| \`${name}\` | ${place} | ${cell(typeOf(schema))} | ${required ? 'yes' : ''} | ${cell(words)} |`
  })
  return ['| name | in | type | required | description |', '|---|---|---|---|---|', ...rows].join('\n')
}

/** One table for each media type. */
function contentText(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema = {} }]) => {
      const rows = rowsOf(schema)
      if (rows.length === 0) return `\`${type}\`: ${escapeText(schema.description ?? typeOf(schema))}`
      return `\`${type}\`\n\n${memberTable(rows)}`
    })
    .join('\n\n')
}

function memberTable(rows: readonly Row[]): string {
  const lines = rows.map(({ name, type, isRequired, description }) => {
    return `| \`${name}\` | ${cell(type)} | ${isRequired ? 'yes' : ''} | ${cell(description)} |`
  })
  return ['| member | type | required | description |', '|---|---|---|---|', ...lines].join('\n')
}

/** What succeeds in full; each problem has a page. */
function answersText(responses: Named['responses']): string {
  const successes = Object.entries(responses).flatMap(([status, { $ref, description = '', content }]) => {
    if ($ref !== undefined) return []
    return `${status}: ${escapeText(description)}${content ? `\n\n${contentText(content)}` : ''}`
  })
  const problems = Object.entries(responses).flatMap(([status, { $ref }]) => {
    if ($ref === undefined) return []
    const links = lastOf($ref).split('.')
    return `${status} ${links.map((slug) => `[${slug}](../problems/${slug}.md)`).join(', ')}`
  })
  return [...successes, ...(problems.length > 0 ? [`Problems: ${problems.join(' · ')}`] : [])].join('\n\n')
}

const lastOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1)

/** Words of the contract are text, not Markdown, but for code in backquotes. */
function escapeText(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replace(/[\\*_[\]<>#]/g, '\\$&')))
    .join('')
}

function cell(text: string): string {
  return escapeText(text).replaceAll('|', '\\|').replace(/\s+/g, ' ')
}
