import { createServer } from 'node:net'

/** Fails like listening would, before the seconds that opening the stores takes. */
export function requireFreePort(host: string, port: number): Promise<void> {
  if (port === 0) return Promise.resolve()
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port }, () => server.close(() => resolve()))
  })
}
