import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { buffer, text } from 'node:stream/consumers'
import { createGunzip, gzipSync } from 'node:zlib'
import { ClickHouseError } from '@clickhouse/client'
import { type EngineConnection, type EngineKind, openEngine } from '../store/engine/open.ts'
import { WrittenParameter } from '../store/engine/parameters.ts'

/**
 * An engine behind ClickHouse's HTTP interface, so that the product's path to a ClickHouse server is tested with
 * the real client over real HTTP: https://clickhouse.com/docs/interfaces/http. The answer is whole, not streamed.
 */
export interface ClickHouseHttp {
  url: string
  /** An outage: every request is answered 503 until `resume`. */
  pause(): void
  resume(): void
  close(): Promise<void>
}

export interface ClickHouseHttpOptions {
  path: string
  /** Which engine; without it the fastest that is installed. */
  kind?: EngineKind | undefined
  /** Where given, requests must carry it as the password of any user. */
  password?: string
  port?: number
  /** What runs in place of a statement, for what only a cluster understands; what it throws is the answer. */
  translate?: (sql: string, settings: Readonly<Record<string, string>>) => string
}

// ClickHouse accepts URLs of a mebibyte (http_max_uri_size); Node's default is 16 KiB.
const maximumHeaderBytes = 1024 * 1024
/** Longer than any run of the tests. */
const idleMsMax = 3_600_000

export async function startClickHouseHttp(options: ClickHouseHttpOptions): Promise<ClickHouseHttp> {
  const { path, kind } = options
  const engine = await openEngine({ path, kind, onNotice: () => {} })
  let isPaused = false
  const server = createServer({ maxHeaderSize: maximumHeaderBytes }, (request, response) => {
    if (isPaused) return send(response, 503, 'Paused\n')
    if (!isAllowed(request, options.password)) return refuse(response, wrongPassword)
    answer(engine.connection, request, response, options.translate).catch((error: unknown) =>
      refuse(response, messageOf(error)),
    )
  })
  // The client ends connections that are idle for 2.5 s. Ended here too, one of a machine that stood still for as long
  // would be closed in the moment in which it is used again.
  server.keepAliveTimeout = idleMsMax
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server listens on no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    pause() {
      isPaused = true
    },
    resume() {
      isPaused = false
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
      await engine.close()
    },
  }
}

async function answer(
  engine: EngineConnection,
  request: IncomingMessage,
  response: ServerResponse,
  translate: ClickHouseHttpOptions['translate'] = (sql) => sql,
) {
  const url = new URL(request.url ?? '/', 'http://engine')
  if (url.pathname === '/ping') return send(response, 200, 'Ok.\n')
  if (url.pathname !== '/') return send(response, 404, 'There is no handle for it\n')

  const fields = url.searchParams
  const rows = await readBody(request, fields)
  const given = statementOf(fields, request.headers['x-clickhouse-format'])
  const statement = { ...given, query: translate(given.query, given.clickhouse_settings) }
  const abandoned = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) abandoned.abort()
  })
  const { stream, summary } = await engine.exec({
    ...statement,
    abort_signal: abandoned.signal,
    ...(rows !== null && { values: rows }),
  })
  const bytes = await buffer(stream)
  response.setHeader('X-ClickHouse-Summary', JSON.stringify(summary ?? {}))
  response.setHeader('X-ClickHouse-Query-Id', fields.get('query_id') ?? '')
  response.setHeader('X-ClickHouse-Timezone', 'UTC')
  response.setHeader('X-ClickHouse-Format', namedFormat(statement.query) ?? formatOf(statement))
  send(response, 200, bytes, wantsGzip(request, fields))
}

/**
 * The query stands in the address, in the body, or in a form with its parameters. What follows in a body when the
 * address has the query are the rows of an INSERT.
 */
async function readBody(request: IncomingMessage, fields: URLSearchParams): Promise<Readable | null> {
  const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request
  const contentType = request.headers['content-type']
  if (contentType?.startsWith('multipart/form-data')) {
    const form = await new Response(Readable.toWeb(body), {
      headers: { 'content-type': contentType },
    }).formData()
    for (const [name, value] of form) if (typeof value === 'string') fields.set(name, value)
    return null
  }
  const query = fields.get('query')
  if (query !== null && request.method === 'POST' && isInsertOfRows(query)) return body
  fields.set('query', `${query ?? ''}${await text(body)}`)
  return null
}

const isInsertOfRows = (query: string): boolean =>
  /^\s*insert\b/i.test(query) && namedFormat(query) !== undefined

const notSettings: ReadonlySet<string> = new Set([
  'query',
  'query_id',
  'database',
  'user',
  'password',
  'role',
  'session_id',
  'session_timeout',
  'session_check',
  'compress',
  'decompress',
])

type HttpStatement = {
  query: string
  query_params: Record<string, WrittenParameter>
  clickhouse_settings: Record<string, string>
}

function statementOf(fields: URLSearchParams, formatHeader: string | string[] | undefined): HttpStatement {
  const settings: Record<string, string> = {}
  const parameters: Record<string, WrittenParameter> = {}
  for (const [name, value] of fields) {
    if (name.startsWith('param_')) parameters[name.slice('param_'.length)] = new WrittenParameter(value)
    else if (!notSettings.has(name)) settings[name] = value
  }
  // A server answers tabs where nothing is said; an embedded engine has formats of its own.
  settings.default_format =
    typeof formatHeader === 'string' ? formatHeader : (settings.default_format ?? 'TabSeparated')
  return { query: fields.get('query') ?? '', query_params: parameters, clickhouse_settings: settings }
}

const formatOf = ({ clickhouse_settings }: HttpStatement) =>
  clickhouse_settings.default_format ?? 'TabSeparated'
const namedFormat = (sql: string): string | undefined => /\bFORMAT\s+(\w+)[\s;]*$/i.exec(sql)?.[1]

function wantsGzip(request: IncomingMessage, fields: URLSearchParams): boolean {
  const accepted = request.headers['accept-encoding'] ?? ''
  return fields.get('enable_http_compression') === '1' && accepted.includes('gzip')
}

function isAllowed(request: IncomingMessage, password: string | undefined): boolean {
  if (password === undefined) return true
  const [, basic = ''] = (request.headers.authorization ?? '').split('Basic ')
  const given = Buffer.from(basic, 'base64').toString().split(':').slice(1).join(':')
  return given === password || request.headers['x-clickhouse-key'] === password
}

const wrongPassword =
  'Code: 516. DB::Exception: default: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)'

function messageOf(error: unknown): string {
  // The client's class keeps a part of what the engine said.
  if (error instanceof ClickHouseError && error.cause instanceof Error) return error.cause.message
  return `Code: 1002. DB::Exception: ${error instanceof Error ? error.message : error}. (UNKNOWN_EXCEPTION)`
}

// As ClickHouse's HTTP handler maps its codes to statuses; 500 for all others.
const statusOfCode: ReadonlyMap<string, number> = new Map([
  ['62', 400],
  ['60', 404],
  ['81', 404],
  ['516', 403],
])

function refuse(response: ServerResponse, message: string): void {
  if (response.destroyed) return
  const code = /Code: (\d+)/.exec(message)?.[1] ?? '1002'
  response.setHeader('X-ClickHouse-Exception-Code', code)
  send(response, statusOfCode.get(code) ?? 500, `${message} (version 26.5)\n`)
}

function send(response: ServerResponse, status: number, body: string | Uint8Array, isGzip = false): void {
  if (isGzip) response.setHeader('Content-Encoding', 'gzip')
  response.statusCode = status
  response.end(isGzip ? gzipSync(body) : body)
}
