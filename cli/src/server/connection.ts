import { type Client, createClient, readKeyKind } from '@assay/contract'
import type { Context } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import type { Project } from '../project/project.ts'
import { savedKey } from './credentials.ts'

export type Connection = { client: Client; server: string; key: string }

/** Where a server listens by default. */
const usualServer = 'http://127.0.0.1:4400'

export function serverOf({ world, options }: Context, project: Project | null): string {
  const named = options.text('server') ?? world.environment.ASSAY_URL ?? project?.config.server ?? usualServer
  const url = URL.canParse(named) ? new URL(named) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw misuse(`${named} is not the address of a server.`, 'Write it as https://assay.example.')
  }
  return url.href.replace(/\/$/, '')
}

export function keyOf({ world, options }: Context, server: string): string | null {
  return options.text('key') ?? world.environment.ASSAY_KEY ?? savedKey(world, server)
}

/** Detects a mistyped key without a request. */
export function requireWellFormed(key: string): string {
  if (readKeyKind(key) !== null) return key
  throw misuse(
    'This is not an Assay key: its format or its checksum is wrong.',
    'Is it complete? A key begins with sk_live_, svc_sk_live_ or svc_sk_test_ and has 36 more characters.',
  )
}

export function connect(context: Context, project: Project | null): Connection {
  const server = serverOf(context, project)
  const key = keyOf(context, server)
  if (key === null) {
    throw misuse(
      `There is no key for ${server}.`,
      'Give one with --key or in ASSAY_KEY, or sign in once with: assay init',
    )
  }
  return { server, key, client: clientFor(context, server, requireWellFormed(key)) }
}

/** With `key` null only public routes can be called. */
export function clientFor(
  context: Context,
  server: string,
  key: string | null,
  headers: Readonly<Record<string, string>> = {},
): Client {
  return createClient({
    baseUrl: server,
    headers,
    ...(key !== null && { credential: key }),
    fetch: patientFetch(context, server),
  })
}

/** A limit counts per minute, so one wait is enough unless others use the same key. */
const waitsMax = 3
const waitSecondsMax = 61

/** Waits when the server asks for it, and explains why it could not be reached. */
function patientFetch(context: Context, server: string): typeof fetch {
  const { world, progress } = context
  return async (input, init) => {
    for (let waits = 0; ; waits++) {
      const response = await reach(context, server, () => world.fetch(input, init))
      const seconds = Number(response.headers.get('retry-after'))
      if (response.status !== 429 || waits === waitsMax || !(seconds <= waitSecondsMax)) return response
      progress(`The server asks for a pause of ${seconds} s.`)
      await world.wait(seconds * 1000)
    }
  }
}

async function reach({ world }: Context, server: string, call: () => Promise<Response>): Promise<Response> {
  try {
    return await call()
  } catch (error) {
    const { HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy } = world.environment
    const proxy = [HTTPS_PROXY, https_proxy, HTTP_PROXY, http_proxy].find((each) => (each ?? '') !== '')
    const hint =
      proxy === undefined || world.environment.NODE_USE_ENV_PROXY === '1'
        ? 'Is the server running, and is this the right address? Give another with --server.'
        : 'A proxy is set in the environment. Node goes through it with NODE_USE_ENV_PROXY=1 (Node 24, or 22.21).'
    throw new CommandFailure(exitCodes.server, `${server} cannot be reached: ${reasonOf(error)}.`, hint, {
      server,
    })
  }
}

/** `fetch failed` says nothing; its cause does. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'TimeoutError') return 'no answer in time'
  const { cause } = error
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : ''
  const words: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'nothing listens there',
    ENOTFOUND: 'there is no such host, or no network',
    EAI_AGAIN: 'there is no network',
    ECONNRESET: 'the connection was closed',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed (NODE_EXTRA_CA_CERTS names a file to trust)',
  }
  return words[code] ?? (code || error.message)
}
