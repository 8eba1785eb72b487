import { getDomain, getPublicSuffix } from 'tldts'
import { rememberRecent } from '../../recent-cache.ts'
import { type SourceCategory, wellKnownSources } from './sources.ts'

export interface KnownSource {
  readonly name: string
  readonly category: SourceCategory
}

/** A source is known by a host, by a name under any public suffix, or by the word in utm_source. */
interface Directory {
  readonly hosts: ReadonlyMap<string, KnownSource>
  readonly stems: ReadonlyMap<string, KnownSource>
  readonly words: ReadonlyMap<string, KnownSource>
}

const directory = readDirectory()

function readDirectory(): Directory {
  const hosts = new Map<string, KnownSource>()
  const stems = new Map<string, KnownSource>()
  const words = new Map<string, KnownSource>()
  for (const category of ['search', 'social', 'video', 'shopping', 'ai', 'email', 'other'] as const) {
    for (const [name, places] of Object.entries(wellKnownSources[category])) {
      const source: KnownSource = { name, category }
      words.set(name, source)
      for (const place of places.split(/\s+/)) {
        if (place.endsWith('.*')) stems.set(place.slice(0, -2), source)
        else if (place.includes('.')) hosts.set(place, source)
        else words.set(place, source)
      }
    }
  }
  return { hosts, stems, words }
}

/** Private suffixes count, so that two customers of one host (`a.github.io`, `b.github.io`) are two sites. */
const suffixRules = { allowPrivateDomains: true }

/** Referring hosts and campaign sources of a busy server; each entry is a few hundred bytes. */
const rememberedHosts = 4_096

/** `null` for unknown, since the cache cannot tell a remembered `undefined` from a new key. */
export const findSource: (hostOrWord: string) => KnownSource | null = rememberRecent((text) => {
  const key = text.toLowerCase()
  const word = directory.words.get(key)
  if (word !== undefined) return word
  return key.includes('.') ? findByHost(key) : null
}, rememberedHosts)

/**
 * The part of a host that somebody registered, or the host itself when there is none (an address,
 * `localhost`).
 */
export const registeredDomain: (host: string) => string = rememberRecent(
  (host) => getDomain(host, suffixRules) ?? host.toLowerCase(),
  rememberedHosts,
)

/** The longest match decides: `mail.google.com` before `google.*`. */
function findByHost(host: string): KnownSource | null {
  const suffix = getPublicSuffix(host)
  for (let part = host; part !== ''; part = withoutFirstLabel(part)) {
    const byHost = directory.hosts.get(part)
    if (byHost !== undefined) return byHost
    const stem = suffix !== null && part.endsWith(`.${suffix}`) ? part.slice(0, -suffix.length - 1) : ''
    const byStem = directory.stems.get(stem)
    if (byStem !== undefined) return byStem
  }
  return null
}

function withoutFirstLabel(host: string): string {
  const dot = host.indexOf('.')
  return dot < 0 ? '' : host.slice(dot + 1)
}
