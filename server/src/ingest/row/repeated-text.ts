import { createRecentCache } from '../../platform/recent-cache.ts'
import { flat, quote, text } from './line-text.ts'

/** What is written from the same values again is remembered whole: quoting takes much of the time of a line. */
type Remembered<Values> = { values: Values; text: string }

type Place = { workspaceId: string; siteId: string }
type Origin = Place & { endpoint: string; keyId: string; isPublic: boolean }

let lastOrigin: Remembered<Origin> | null = null

/** Where a line comes from: the same for all events of a request. */
export function originOf(facts: Origin): string {
  const known = lastOrigin
  if (
    known?.values.workspaceId === facts.workspaceId &&
    known.values.siteId === facts.siteId &&
    known.values.endpoint === facts.endpoint &&
    known.values.keyId === facts.keyId &&
    known.values.isPublic === facts.isPublic
  )
    return known.text
  const { workspaceId, siteId, endpoint, keyId, isPublic } = facts
  const sender = `${text('endpoint', endpoint)}${text('key_id', keyId)}${isPublic ? ',"is_public":1' : ''}`
  const values = { workspaceId, siteId, endpoint, keyId, isPublic }
  lastOrigin = { values, text: flat(`${place(facts)}${sender}`) }
  return lastOrigin.text
}

type Names = {
  outcome: string
  sentName: string
  mappingRule: string
  contractVersion: string
  code: string
}

/** Contracts of a few workspaces. */
const rememberedNames = createRecentCache<Remembered<Names>>(1_000)

export function namesOf(facts: Names & { name: string }): string {
  const known = rememberedNames.get(facts.name)
  const { outcome, sentName, mappingRule, contractVersion, code } = facts
  if (
    known?.values.outcome === outcome &&
    known.values.sentName === sentName &&
    known.values.mappingRule === mappingRule &&
    known.values.contractVersion === contractVersion &&
    known.values.code === code
  )
    return known.text
  let names = `,"outcome":${quote(outcome)},"name":${quote(facts.name)}${text('sent_name', sentName)}`
  names += `${text('mapping_rule', mappingRule)}${text('contract_version', contractVersion)}${text('code', code)}`
  const values = { outcome, sentName, mappingRule, contractVersion, code }
  rememberedNames.set(facts.name, { values, text: flat(names) })
  return names
}

type Page = { url: string; host: string; path: string }

/** As many as pages are remembered, see page.ts; a landing page with a click id comes once. */
const rememberedPages = createRecentCache<Remembered<Omit<Page, 'url'>>>(4_096)

export function pageOf({ url, host, path }: Page): string {
  const known = rememberedPages.get(url)
  if (known?.values.host === host && known.values.path === path) return known.text
  const page = text('url', url) + text('host', host) + text('path', path)
  rememberedPages.set(url, { values: { host, path }, text: flat(page) })
  return page
}

/** Workspace and site. Quoted like any text: no id is trusted because of its origin. */
export function place({ workspaceId, siteId }: Place): string {
  return `"workspace_id":${quote(workspaceId)},"site_id":${quote(siteId)}`
}
