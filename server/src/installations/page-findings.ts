import { type InstallationCode, isRecord } from '@assay/contract'
import type { FetchedPage } from '../http/page-fetch.ts'
import { allowsConnection, allowsScript, type Policy, readPolicies } from './content-policy.ts'
import { readTags, type Tag } from './page-tags.ts'

/** What was found, and what its sentence names. */
export type Found = { code: InstallationCode; about?: string }

/** The tag as the page has it. */
type InstalledTag = {
  src: URL | null
  key: string
  consent: string
  options: string
  nonce: string
  integrity: string
}

const sdkPath = /\/sdk(?:-[0-9a-f]{8,64})?\.m?js$/
const publicKey = /pk_live_[0-9A-Za-z]{36}/

/** Script tags of the product, and modules of the page that start it. */
function tagsOf(tags: readonly Tag[], page: URL): InstalledTag[] {
  return tags.flatMap(({ name, attributes, text }): InstalledTag[] => {
    if (name !== 'script') return []
    const { 'data-key': key = '', 'data-consent': consent = '', 'data-options': options = '' } = attributes
    const { nonce = '', integrity = '' } = attributes
    const src = URL.parse(attributes.src ?? '', page.href)
    if (attributes.src !== undefined) {
      const isOurs = src !== null && (sdkPath.test(src.pathname) || key.startsWith('pk_live_'))
      return isOurs ? [{ src, key, consent, options, nonce, integrity }] : []
    }
    const written = publicKey.exec(text)?.[0]
    const module = /["'](https?:\/\/[^"']{1,300}\/sdk(?:-[0-9a-f]{8,64})?\.mjs)["']/.exec(text)?.[1]
    if (written === undefined || module === undefined) return []
    return [{ src: URL.parse(module), key: written, consent: '', options: '', nonce, integrity: '' }]
  })
}

export type PageFacts = { found: Found[]; tag: InstalledTag | null }

/** Findings from the page alone; its key is not checked. */
export function readPage(page: FetchedPage, ownOrigins: readonly string[]): PageFacts {
  if (page.status >= 400) return { found: [{ code: 'page-failed', about: String(page.status) }], tag: null }
  const type = String(page.headers['content-type'] ?? '')
  if (type !== '' && !/html/i.test(type)) return { found: [{ code: 'not-html', about: type }], tag: null }
  const tags = readTags(page.text)
  const installed = tagsOf(tags, page.url)
  const [tag = null] = installed
  const cut: Found[] = page.isCut ? [{ code: 'page-cut' }] : []
  if (tag === null) return { found: [...cut, { code: 'tag-missing' }], tag }
  const twice: Found[] = installed.length > 1 ? [{ code: 'tag-twice', about: String(installed.length) }] : []
  return { found: [...cut, ...twice, ...tagFindings(tag, page, tags, ownOrigins)], tag }
}

function tagFindings(
  tag: InstalledTag,
  page: FetchedPage,
  tags: readonly Tag[],
  ownOrigins: readonly string[],
): Found[] {
  const { src } = tag
  const found: Found[] = []
  if (src === null) return found
  if (page.url.protocol === 'https:' && src.protocol === 'http:') found.push({ code: 'tag-blocked-insecure' })
  if (!ownOrigins.includes(src.origin)) found.push({ code: 'tag-from-other-host', about: src.origin })
  const policies = policiesOf(page, tags)
  if (!allowsScript(policies, page.url, { ...tag, src }))
    found.push({ code: 'csp-script', about: src.origin })
  const options = readOptions(tag.options)
  if (options === null) return [...found, { code: 'options-invalid' }]
  const host = typeof options.host === 'string' ? URL.parse(options.host) : src
  const target = URL.parse('/v1/batch', (host ?? src).href)
  if (target !== null && !allowsConnection(policies, page.url, target)) {
    found.push({ code: 'csp-connect', about: target.origin })
  }
  if (tag.consent === 'denied' || options.consent === 'denied') found.push({ code: 'consent-waits' })
  return found
}

/** Policies of the header and of metas. A report-only policy forbids nothing. */
function policiesOf({ headers }: FetchedPage, tags: readonly Tag[]): Policy[] {
  const header = headers['content-security-policy']
  const metas = tags
    .filter(({ attributes }) => attributes['http-equiv']?.toLowerCase() === 'content-security-policy')
    .map(({ attributes }) => attributes.content ?? '')
  return readPolicies([...(header === undefined ? [] : [header].flat()), ...metas])
}

function readOptions(written: string): Record<string, unknown> | null {
  if (written === '') return {}
  try {
    const parsed: unknown = JSON.parse(written)
    return isRecord(parsed) ? parsed : null
  } catch {
    return null
  }
}
