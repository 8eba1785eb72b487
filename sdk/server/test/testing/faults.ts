import { createServer, type Server, type ServerResponse } from 'node:http'

type Seen = { status: number; ids: string[]; sentAt: string }
type Item = { event_id: string }

/** A server that misbehaves by scenario: the first part of the path ends with its name. */
export async function startFaults(): Promise<{ url: string; close: () => void }> {
  const calls = new Map<string, Seen[]>()
  const server: Server = createServer((request, response) => {
    const [, scenario = ''] = (request.url ?? '').split('/')
    const before = calls.get(scenario) ?? []
    if (request.method === 'GET') {
      response.end(JSON.stringify(before))
      return
    }
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { batch, sent_at }: { batch: Item[]; sent_at: string } = JSON.parse(text)
      const ids = batch.map(({ event_id }) => event_id)
      const status = misbehave(scenario.slice(scenario.lastIndexOf('-') + 1), before.length, ids, response)
      calls.set(scenario, [...before, { status, ids, sentAt: sent_at }])
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Returns the status that was sent; 0 for none. */
function misbehave(
  scenario: string,
  attempt: number,
  ids: readonly string[],
  response: ServerResponse,
): number {
  const answer = (status: number, body: object = {}, headers = {}) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    return status
  }
  const accept = (retryable: readonly string[] = []) =>
    answer(200, {
      results: ids.map((id) =>
        retryable.includes(id)
          ? { outcome: 'reject', retryable: true }
          : { outcome: 'accept', retryable: false },
      ),
    })
  switch (scenario) {
    case 'trouble':
      if (attempt === 0) return answer(503)
      if (attempt === 1) return answer(429, {}, { 'retry-after': '0' })
      if (attempt === 2) {
        // A truncated answer; some run times retry automatically when none begins.
        response.writeHead(200, { 'content-length': '100' })
        response.write('{', () => response.destroy())
        return 0
      }
      return accept(attempt === 3 ? ['two'] : [])
    case 'refused':
      return answer(403)
    case 'invalid':
      return answer(400)
    case 'tiny':
      return answer(413)
    case 'large':
      return ids.length > 2 ? answer(413) : accept()
    case 'down':
      return answer(500)
    case 'hang':
      return 0
    default:
      return accept()
  }
}
