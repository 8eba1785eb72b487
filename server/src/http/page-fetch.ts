import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { AddressRefused, checkedLookup, isRefused } from './outbound-address.ts'

export type FetchedPage = {
  /** After redirects. */
  url: URL
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
  /** More came than is read. */
  isCut: boolean
}

export type FetchPage = (url: URL) => Promise<FetchedPage>

type FetchBounds = { bytesMax: number; redirectsMax: number; timeoutMs: number }

export class TooManyRedirects extends Error {
  override name = 'TooManyRedirects'
}

/**
 * Reads a page at an address that a user chose. Every address on the way is checked at the moment of connecting, as for
 * deliveries; nothing of the page is run, and no credentials are sent.
 */
export function createPageFetch(allowsInside: boolean, bounds: FetchBounds): FetchPage {
  return async (first) => {
    const signal = AbortSignal.timeout(bounds.timeoutMs)
    let url = first
    for (let hop = 0; hop <= bounds.redirectsMax; hop += 1) {
      if (isRefused(url, allowsInside)) throw new AddressRefused('the address leads inside')
      const answer = await readOnce(url, allowsInside, bounds.bytesMax, signal)
      const next = redirectOf(answer, url)
      if (next === null) return { ...answer, url }
      url = next
    }
    throw new TooManyRedirects('the page redirects too often')
  }
}

type Answer = Omit<FetchedPage, 'url'>

function redirectOf({ status, headers }: Answer, from: URL): URL | null {
  const { location } = headers
  if (status < 300 || status >= 400 || typeof location !== 'string') return null
  const next = URL.parse(location, from.href)
  return next !== null && (next.protocol === 'http:' || next.protocol === 'https:') ? next : null
}

function readOnce(url: URL, allowsInside: boolean, bytesMax: number, signal: AbortSignal): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(url, {
      headers: {
        accept: 'text/html,*/*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': 'Mozilla/5.0 (compatible; AssayInstallationCheck/1.0)',
      },
      lookup: checkedLookup(allowsInside),
      signal,
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      const chunks: Buffer[] = []
      let bytes = 0
      const finish = (isCut: boolean) => {
        const { statusCode = 0, headers } = response
        const { text, isPart } = decode(Buffer.concat(chunks), headers['content-encoding'], bytesMax)
        resolve({ status: statusCode, headers, text, isCut: isCut || isPart })
      }
      response.on('error', reject)
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length
        chunks.push(chunk)
        if (bytes <= bytesMax) return
        finish(true)
        sent.destroy()
      })
      response.on('end', () => finish(false))
    })
    sent.end()
  })
}

const decoders = { gzip: gunzipSync, 'x-gzip': gunzipSync, deflate: inflateSync, br: brotliDecompressSync }
const isDecoder = (name: string): name is keyof typeof decoders => Object.hasOwn(decoders, name)

/** What cannot be unpacked within the bound is read as nothing, not as a failure: the page may be hostile. */
function decode(bytes: Buffer, encoding = 'identity', bytesMax: number): { text: string; isPart: boolean } {
  const name = encoding.trim().toLowerCase()
  if (!isDecoder(name)) return { text: bytes.toString('utf8'), isPart: false }
  try {
    return { text: decoders[name](bytes, { maxOutputLength: bytesMax }).toString('utf8'), isPart: false }
  } catch {
    return { text: '', isPart: true }
  }
}
