import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/**
 * A proxy in front of an events store that can block inserts into one table, so that a process is killed
 * right there.
 */
export type QuarantineStore = {
  url: string
  /** From now on, inserts into this table wait. */
  hold: (table: string) => void
  isHolding: () => boolean
  /** Forwards waiting and future inserts. */
  release: () => void
  /** Drops waiting inserts, as if their sender were gone. */
  drop: () => void
  close: () => Promise<void>
}

/** The same limit as the store's: statements may be part of the URL. */
const maxHeaderSize = 1024 * 1024

export async function openQuarantineStore(storeUrl: string): Promise<QuarantineStore> {
  let table: string | null = null
  const waiting: (() => void)[] = []
  const isPaused = ({ url = '' }: IncomingMessage) =>
    table !== null &&
    new URL(url, storeUrl).searchParams.get('query')?.startsWith(`INSERT INTO ${table} `) === true
  const server = createServer({ maxHeaderSize }, (incoming, response) => {
    if (isPaused(incoming)) waiting.push(() => passOn(storeUrl, incoming, response))
    else passOn(storeUrl, incoming, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The way listens on no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    hold: (name) => {
      table = name
    },
    isHolding: () => waiting.length > 0,
    release: () => {
      table = null
      for (const go of waiting.splice(0)) go()
    },
    drop: () => {
      table = null
      waiting.length = 0
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

function passOn(storeUrl: string, incoming: IncomingMessage, response: ServerResponse): void {
  const { method, headers, url = '' } = incoming
  const onward = request(new URL(url, storeUrl), { method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  // A killed sender leaves half a request, and does not wait for the answer.
  onward.on('error', () => response.destroy())
  incoming.on('error', () => onward.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
