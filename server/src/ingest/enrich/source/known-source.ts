import { getDomain, getPublicSuffix } from 'tldts'
import { rememberRecent } from '../../../platform/recent-cache.ts'
import type { SourceCategory } from './lists/source-list.ts'
import { sourceLists } from './sources.ts'

export interface KnownSource {
  readonly name: string
  readonly category: SourceCategory
  readonly isPaid: boolean
}

type Places = Map<string, KnownSource>

/** A source is recognised by a host, by a name under any public suffix, or by the word in utm_source. */
interface Directory {
  readonly hosts: Places
  readonly stems: Places
  readonly words: Places
}

/** Hosts that match exactly, and hosts that match their subdomains too. */
const exact = readDirectory((place) => (place.startsWith('*.') ? null : place))
const wide = readDirectory((place) => (place.startsWith('*.') ? place.slice(2) : null))

function readDirectory(take: (place: string) => string | null): Directory {
  const found = { hosts: new Map(), stems: new Map(), words: new Map() } satisfies Directory
  for (const { category, isPaid = false, sources } of sourceLists) {
    for (const [name, places] of Object.entries(sources)) {
      const source: KnownSource = { name, category, isPaid }
      // Bought traffic often has the name of the place where it is bought, which means the place itself.
      if (!isPaid) found.words.set(name, source)
      for (const listed of places.split(/\s+/)) {
        const place = take(listed)
        if (place === null) continue
        if (place.endsWith('.*')) found.stems.set(place.slice(0, -2), source)
        else if (place.includes('.')) found.hosts.set(place, source)
        else found.words.set(place, source)
      }
    }
  }
  return found
}

/** Private suffixes count, so that two customers of one host (`a.github.io`, `b.github.io`) are two sites. */
const suffixRules = { allowPrivateDomains: true }

/** Referring hosts and campaign sources of a busy server; each entry is a few hundred bytes. */
const rememberedHosts = 4_096

/** `null` for unknown, since the cache cannot distinguish a cached `undefined` from a new key. */
export const findSource: (hostOrWord: string) => KnownSource | null = rememberRecent((text) => {
  const key = text.toLowerCase()
  const word = exact.words.get(key)
  if (word !== undefined) return word
  return key.includes('.') ? findByHost(key) : null
}, rememberedHosts)

/** The registered part of a host, or the host itself if there is none (an address, `localhost`). */
export const registeredDomain: (host: string) => string = rememberRecent(
  (host) => getDomain(host, suffixRules) ?? host.toLowerCase(),
  rememberedHosts,
)

/** Exact entries before those with subdomains, and among those the longest wins. */
function findByHost(host: string): KnownSource | null {
  const suffix = getPublicSuffix(host)
  const own = findIn(exact, host.replace(/^www\./, ''), suffix)
  if (own !== undefined) return own
  for (let part = host; part !== ''; part = withoutFirstLabel(part)) {
    const found = findIn(wide, part, suffix)
    if (found !== undefined) return found
  }
  return null
}

function findIn({ hosts, stems }: Directory, host: string, suffix: string | null): KnownSource | undefined {
  const byHost = hosts.get(host)
  if (byHost !== undefined || suffix === null || !host.endsWith(`.${suffix}`)) return byHost
  return stems.get(host.slice(0, -suffix.length - 1))
}

function withoutFirstLabel(host: string): string {
  const dot = host.indexOf('.')
  return dot < 0 ? '' : host.slice(dot + 1)
}
