import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { redeemCommand } from '@assay/contract'
import type { Context } from '../command.ts'
import { CommandFailure, exitCodes } from '../failure.ts'
import { clientFor } from '../server/connection.ts'

/** Signing in by mail takes a while. */
const waitMsMax = 5 * 60_000

const closing = `<!doctype html><meta charset="utf-8"><title>Connected</title>
<p style="font:16px system-ui;margin:4rem">The command is connected. You can close this page.</p>`

/**
 * The user signs in with the browser, and a page of the server asks whether this command may have a key. The
 * answer comes back to a local port, and counts only with a state and a verifier that never left this
 * process.
 */
export async function signInByBrowser(context: Context, server: string): Promise<string> {
  const { world, say } = context
  const state = world.newId().replaceAll('-', '')
  const verifier = `${world.newId()}${world.newId()}`
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const { listener, port, code } = await listen(state)
  try {
    const query = new URLSearchParams({ port: String(port), state, challenge, name: 'assay command' })
    const address = `${server}/connect?${query}`
    say(`If the browser does not open, open this on the same machine:\n${address}`)
    world.openBrowser(address)
    const given = await withinTime(code)
    const open = clientFor(context, server, null)
    return (await open.call(redeemCommand, { body: { code: given, code_verifier: verifier } })).key
  } finally {
    listener.close()
    listener.closeAllConnections()
  }
}

async function listen(state: string): Promise<{ listener: Server; port: number; code: Promise<string> }> {
  const { promise: code, resolve } = promised<string>()
  const listener = createServer((request, response) => {
    const answer = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams
    const given = answer.get('code')
    const isOurs = given !== null && answer.get('state') === state
    response.writeHead(isOurs ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
      connection: 'close',
    })
    response.end(isOurs ? closing : '')
    if (isOurs) resolve(given)
  })
  await new Promise<void>((listening) => listener.listen(0, '127.0.0.1', listening))
  // boundary: a listener on TCP has an address with a port.
  const { port } = listener.address() as AddressInfo
  return { listener, port, code }
}

function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => {}
  const promise = new Promise<T>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

async function withinTime(code: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const failure = new CommandFailure(
      exitCodes.found,
      'The request was not approved in the browser within five minutes.',
      'Run assay init again, or pass a key with --key.',
    )
    timer = setTimeout(() => reject(failure), waitMsMax)
  })
  try {
    return await Promise.race([code, late])
  } finally {
    clearTimeout(timer)
  }
}
