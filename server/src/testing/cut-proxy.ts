import { connect, createServer, type Socket } from 'node:net'

/** A network between two programs that a test can cut, or make hang. */
export type CutProxy = {
  port: number
  /** Breaks every connection, and refuses new ones until `mend`. */
  cut: () => void
  /** Passes nothing on until `mend`; connections stay open. */
  hang: () => void
  mend: () => void
  close: () => Promise<void>
}

export async function startCutProxy(targetPort: number): Promise<CutProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'open' | 'cut' | 'hanging' = 'open'
  const server = createServer((client) => {
    if (state === 'cut') return void client.destroy()
    const target = connect(targetPort, '127.0.0.1')
    const pair = [client, target] as const
    pairs.add(pair)
    for (const [from, to] of [pair, [target, client] as const]) {
      from.on('error', () => {})
      from.on('close', () => {
        to.destroy()
        pairs.delete(pair)
      })
      from.pipe(to)
      if (state === 'hanging') from.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The proxy listens on no port')
  const destroyAll = () => {
    for (const [client, target] of pairs) {
      client.destroy()
      target.destroy()
    }
  }
  return {
    port: address.port,
    cut() {
      state = 'cut'
      destroyAll()
    },
    hang() {
      state = 'hanging'
      for (const socket of [...pairs].flat()) socket.pause()
    },
    mend() {
      state = 'open'
      for (const socket of [...pairs].flat()) socket.resume()
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      destroyAll()
      await closed
    },
  }
}
