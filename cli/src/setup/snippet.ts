import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Client, mintApiKey, readKeyKind } from '@assay/contract'
import { misuse } from '../failure.ts'
import { hasSdkTag, headEnd } from '../source/page-source.ts'

export function snippetFor(server: string, publicKey: string): string {
  return `<script async src="${server}/sdk.js" data-key="${publicKey}"></script>`
}

/** Whether the page already loads the browser SDK. */
export function hasSnippet(directory: string, page: string): boolean {
  const file = resolve(directory, page)
  if (!existsSync(file)) throw misuse(`There is no page ${page}.`)
  return hasSdkTag(readFileSync(file, 'utf8'))
}

/** Inserts the script tag at the end of the head. */
export function addSnippet(directory: string, page: string, snippet: string): void {
  const file = resolve(directory, page)
  const text = readFileSync(file, 'utf8')
  const end = headEnd(text)
  if (end === null) throw misuse(`${page} has no </head>.`, `Put this into the head yourself: ${snippet}`)
  const start = text.lastIndexOf('\n', end - 1) + 1
  const indent = text.slice(start, end)
  // The end of the head may share its line with something else, which then stays before the tag.
  if (indent.trim() !== '') writeFileSync(file, `${text.slice(0, end)}${snippet}${text.slice(end)}`)
  else writeFileSync(file, `${text.slice(0, start)}${indent}  ${snippet}\n${text.slice(start)}`)
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
