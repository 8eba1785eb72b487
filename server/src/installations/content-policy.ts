/** Directives of one Content Security Policy, each with its sources. */
export type Policy = ReadonlyMap<string, readonly string[]>

/** The first of a directive counts, as browsers do it. */
export function readPolicies(written: readonly string[]): Policy[] {
  return written
    .flatMap((text) => text.split(','))
    .map((text) => {
      const directives = new Map<string, readonly string[]>()
      for (const part of text.split(';')) {
        const [name = '', ...sources] = part.trim().split(/\s+/)
        if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources)
      }
      return directives
    })
    .filter((directives) => directives.size > 0)
}

type AskedScript = { src: URL; nonce: string; integrity: string }

/** Whether all policies let the page load a script. */
export function allowsScript(policies: readonly Policy[], page: URL, script: AskedScript): boolean {
  return policies.every((policy) => {
    const sources = policy.get('script-src-elem') ?? policy.get('script-src') ?? policy.get('default-src')
    if (sources === undefined) return true
    if (script.nonce !== '' && sources.includes(`'nonce-${script.nonce}'`)) return true
    const hashes = script.integrity.split(/\s+/).filter((hash) => hash !== '')
    if (hashes.length > 0 && hashes.every((hash) => sources.includes(`'${hash}'`))) return true
    // With it the hosts of a list do not count.
    if (sources.some((source) => source.toLowerCase() === "'strict-dynamic'")) return false
    return isListed(sources, page, script.src)
  })
}

/** Whether all policies let the page send to an address. */
export function allowsConnection(policies: readonly Policy[], page: URL, target: URL): boolean {
  return policies.every((policy) => {
    const sources = policy.get('connect-src') ?? policy.get('default-src')
    return sources === undefined || isListed(sources, page, target)
  })
}

function isListed(sources: readonly string[], page: URL, target: URL): boolean {
  return sources.some((source) => fits(source.toLowerCase(), page, target))
}

function fits(source: string, page: URL, target: URL): boolean {
  if (source === '*') return true
  if (source === "'self'") return page.host === target.host && fitsScheme(page.protocol, target.protocol)
  if (/^[a-z][a-z0-9+.-]*:$/.test(source)) return fitsScheme(source, target.protocol)
  const [, scheme, host = '', port, path = ''] =
    /^(?:([a-z][a-z0-9+.-]*:)\/\/)?([^/:]+|\[[^\]]+\])(?::([0-9]+|\*))?(\/.*)?$/.exec(source) ?? []
  if (host === '' || !fitsScheme(scheme ?? page.protocol, target.protocol)) return false
  const isHost = host.startsWith('*.') ? target.hostname.endsWith(host.slice(1)) : target.hostname === host
  return isHost && fitsPort(port, target) && fitsPath(path, target.pathname)
}

/** What is allowed over http is also over https. */
function fitsScheme(allowed: string, used: string): boolean {
  return allowed === used || (allowed === 'http:' && used === 'https:')
}

const usualPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

function fitsPort(port: string | undefined, target: URL): boolean {
  const usual = usualPorts[target.protocol]
  const used = target.port === '' ? usual : target.port
  return port === '*' || (port ?? usual) === used
}

function fitsPath(path: string, used: string): boolean {
  if (path === '' || path === '/') return true
  return path.endsWith('/') ? used.startsWith(path) : used === path
}
