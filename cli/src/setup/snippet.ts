import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Client, mintApiKey, readKeyKind } from '@assay/contract'
import { misuse } from '../failure.ts'

export function snippetFor(server: string, publicKey: string): string {
  return `<script async src="${server}/sdk.js" data-key="${publicKey}"></script>`
}

/** Whether the page already loads the browser SDK. */
export function hasSnippet(directory: string, page: string): boolean {
  const file = resolve(directory, page)
  if (!existsSync(file)) throw misuse(`There is no page ${page}.`)
  return /<script[^>]+\/sdk(?:-[0-9a-f]+)?\.m?js"[^>]*data-key=/.test(readFileSync(file, 'utf8'))
}

/** Inserts the script tag at the end of the head. */
export function addSnippet(directory: string, page: string, snippet: string): void {
  const file = resolve(directory, page)
  const text = readFileSync(file, 'utf8')
  const head = /^([ \t]*)<\/head>/im.exec(text)
  if (head === null) {
    throw misuse(`${page} has no </head> on a separate line.`, `Put this into the head yourself: ${snippet}`)
  }
  const indent = `${head[1] ?? ''}  `
  writeFileSync(file, `${text.slice(0, head.index)}${indent}${snippet}\n${text.slice(head.index)}`)
}

/** A public key may be part of a page; it is bound to the site and only sends events. */
export async function publicKeyFor(
  client: Client,
  siteId: string,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) {
    if (readKeyKind(given) === 'public') return given
    throw misuse(
      '--public-key is not a public key.',
      'It begins with pk_live_. Never put another key into a page.',
    )
  }
  const { key } = await client.call(mintApiKey, {
    body: { kind: 'public', name: 'browser SDK', site_id: siteId, scopes: ['events:send'] },
  })
  return key
}
