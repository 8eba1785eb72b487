import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** A way to an events store on which inserts into one table can be held up, so that a process is killed right there. */
export type HeldStore = {
  url: string
  /** From now on, inserts into this table wait. */
  hold: (table: string) => void
  isHolding: () => boolean
  /** Lets those go that wait, and all that come. */
  release: () => void
  /** Those that wait never arrive, as when their sender is gone. */
  drop: () => void
  close: () => Promise<void>
}

/** As the store itself takes them: statements may stand in the address. */
const maxHeaderSize = 1024 * 1024

export async function openHeldStore(storeUrl: string): Promise<HeldStore> {
  let table: string | null = null
  const waiting: (() => void)[] = []
  const isHeld = ({ url = '' }: IncomingMessage) =>
    table !== null &&
    new URL(url, storeUrl).searchParams.get('query')?.startsWith(`INSERT INTO ${table} `) === true
  const server = createServer({ maxHeaderSize }, (incoming, response) => {
    if (isHeld(incoming)) waiting.push(() => passOn(storeUrl, incoming, response))
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
  // Who is killed in the middle leaves half a request behind, and nobody waits for the answer.
  onward.on('error', () => response.destroy())
  incoming.on('error', () => onward.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
