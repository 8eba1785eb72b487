import type { Consent, Properties, Standing, Tracker, Who } from '../client.ts'

/** A request, independent of the web framework. */
export type Visit = {
  method: string
  /** With scheme and host, if they are known. */
  url: string
  path: string
  header: (name: string) => string | undefined
  ip: string | undefined
}

export type MiddlewareOptions<Request> = {
  /** Who the visitor is. Without it, visitors are recognised by a hash that lasts a day. */
  identity?: (request: Request) => Who | undefined | Promise<Who | undefined>
  /** Their consent; `Sec-GPC` is forwarded in any case. */
  consent?: (request: Request) => Consent | undefined | Promise<Consent | undefined>
  /** Track pages answered with HTML. On by default. */
  pageViews?: boolean
  /** Track every other call with pattern, status and duration. Off by default. */
  apiCalls?: boolean
  /** Track errors that the application threw. On by default. */
  errors?: boolean
  /** The title of a page; by default its path. */
  title?: (request: Request) => string | undefined
  /** Paths to ignore, such as probes. */
  ignore?: (path: string) => boolean
}

/** The response. */
export type Answered = {
  status: number
  contentType: string | undefined
  /** The matched pattern, such as `/users/:id`. */
  route: string | undefined
  durationMs: number
}

/** Sent with every event of the request: page, device and consent. */
function contextOf(visit: Visit): Properties {
  const [locale] = (visit.header('accept-language') ?? '').split(/[,;]/)
  return {
    page: { url: visit.url, path: visit.path, referrer: visit.header('referer') },
    // Used to find the place, and not stored.
    ip: visit.ip,
    userAgent: visit.header('user-agent'),
    ...(locale && { locale }),
  }
}

/** The signal of Global Privacy Control is added to the consent that the application gives. */
function consentOf(visit: Visit, said: Consent | undefined): Consent | undefined {
  const gpc = visit.header('sec-gpc') === '1'
  return gpc ? { ...said, gpc } : said
}

const dayMs = 86_400_000

/**
 * For visitors without storage: the same within a day, another one the next, and not reversible to address or
 * device without the secret.
 */
async function visitorOfDay(visit: Visit, secret: string, nowMs: number): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign'])
  const facts = [Math.floor(nowMs / dayMs), visit.ip, visit.header('user-agent'), visit.header('host')]
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(facts.join('\n'))))
  return `day_${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Tracks a request that was answered. */
export function trackResponse<Request>(
  tracker: Tracker,
  visit: Visit,
  request: Request,
  { status, contentType, route, durationMs }: Answered,
  options: MiddlewareOptions<Request>,
): void {
  const { pageViews = true, apiCalls = false, title } = options
  const isPage = visit.method === 'GET' && status < 400 && (contentType ?? '').startsWith('text/html')
  if (isPage) {
    const properties = {
      url: visit.url,
      title: title?.(request) ?? visit.path,
      referrer: visit.header('referer'),
    }
    if (pageViews) tracker.track({ event: '$pageview', properties })
    return
  }
  if (!apiCalls) return
  const properties = {
    method: visit.method,
    route: route ?? visit.path,
    status,
    duration_ms: Math.round(durationMs),
    url: visit.url,
  }
  tracker.track({ event: 'api_call', properties })
}

export function reportError(tracker: Tracker, visit: Visit, error: unknown, route: string | undefined): void {
  const known = error instanceof Error ? error : new Error(String(error))
  tracker.track({
    event: 'error',
    properties: {
      message: known.message || known.name,
      name: known.name,
      // The first lines are enough to find the cause; the rest would only make the event large.
      stack: known.stack?.slice(0, stackCharactersMax),
      url: visit.url,
      handled: false,
      tags: { method: visit.method, route: route ?? visit.path },
    },
  })
}

const stackCharactersMax = 8_000

/** Asks the application for identity and consent; a function that throws is ignored. */
export async function standingOf<Request>(
  visit: Visit,
  request: Request,
  options: MiddlewareOptions<Request>,
  secret: string,
  nowMs: number,
): Promise<Standing> {
  const who = (await quietly(() => options.identity?.(request))) ?? {}
  const isNobody = who.userId === undefined && who.anonymousId === undefined && who.personId === undefined
  const said = await quietly(() => options.consent?.(request))
  return {
    ...who,
    ...(isNobody && { anonymousId: await visitorOfDay(visit, secret, nowMs) }),
    consent: consentOf(visit, said),
    context: contextOf(visit),
  }
}

async function quietly<T>(ask: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch {
    return undefined
  }
}
