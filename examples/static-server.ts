/** Serves the files of one example, with the address of the product and the public key written into them. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join } from 'node:path'

type Product = { url: string; publicKey: string }

const types: Readonly<Record<string, string>> = { '.html': 'text/html', '.js': 'text/javascript' }

/** Every path without an ending is the page itself, as a single-page application wants it. */
export async function serveExample(
  folder: string,
  product: Product,
  port: number,
): Promise<{ url: string; close: () => void }> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://example')
    const name = extname(pathname) === '' ? 'index.html' : pathname.replace(/^.*\//, '')
    try {
      const text = readFileSync(join(folder, name), 'utf8')
      response.setHeader('content-type', `${types[extname(name)] ?? 'text/plain'}; charset=utf-8`)
      response.end(text.replaceAll('{{assay}}', product.url).replaceAll('{{key}}', product.publicKey))
    } catch {
      response.writeHead(404).end('Not here')
    }
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  const listening = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${listening}`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** The product as `npm start` leaves it: at its usual port, with the key of the first run. */
export function localProduct(): Product {
  const firstRun: { publicKey: string } = JSON.parse(readFileSync('.assay/first-run.json', 'utf8'))
  return { url: 'http://127.0.0.1:4400', publicKey: firstRun.publicKey }
}
