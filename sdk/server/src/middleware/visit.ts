import type { Consent, Properties, Standing, Tracker, Who } from '../client.ts'

/** What a web framework knows of a request, in our own words. */
export type Visit = {
  method: string
  /** With scheme and host, where they are known. */
  url: string
  path: string
  header: (name: string) => string | undefined
  ip: string | undefined
}

export type MiddlewareOptions<Request> = {
  /** Who it is. Without an answer, visitors are told apart by a hash that lasts a day. */
  identity?: (request: Request) => Who | undefined | Promise<Who | undefined>
  /** What they allow; `Sec-GPC` is passed on in any case. */
  consent?: (request: Request) => Consent | undefined | Promise<Consent | undefined>
  /** Pages that were answered with HTML. On, unless you say otherwise. */
  pageViews?: boolean
  /** Every other call, by its pattern, status and duration. Off, unless you say otherwise. */
  apiCalls?: boolean
  /** What the application threw. On, unless you say otherwise. */
  errors?: boolean
  /** The title of a page; its path, unless you say otherwise. */
  title?: (request: Request) => string | undefined
  /** Paths that are nobody's visit, such as probes. */
  ignore?: (path: string) => boolean
}

/** What an answer was like. */
export type Answered = {
  status: number
  contentType: string | undefined
  /** The pattern of the address, such as `/users/:id`. */
  route: string | undefined
  durationMs: number
}

/** Goes with every event of the request: where, by which device, and what the visitor allows. */
export function contextOf(visit: Visit): Properties {
  const [locale] = (visit.header('accept-language') ?? '').split(/[,;]/)
  return {
    page: { url: visit.url, path: visit.path, referrer: visit.header('referer') },
    // Used to find the country, and not stored.
    ip: visit.ip,
    userAgent: visit.header('user-agent'),
    ...(locale && { locale }),
  }
}

/** The signal of Global Privacy Control counts beside whatever the application says. */
export function consentOf(visit: Visit, said: Consent | undefined): Consent | undefined {
  const gpc = visit.header('sec-gpc') === '1'
  return gpc ? { ...said, gpc } : said
}

const dayMs = 86_400_000

/**
 * For visitors who keep nothing: the same within a day, another one the next, and nothing that leads back to address
 * or device without the secret.
 */
export async function visitorOfDay(visit: Visit, secret: string, nowMs: number): Promise<string> {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytes(secret), algorithm, false, ['sign'])
  const facts = [Math.floor(nowMs / dayMs), visit.ip, visit.header('user-agent'), visit.header('host')]
  const digest = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(facts.join('\n'))))
  return `day_${Array.from(digest.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Tells of a request that was answered. */
export function tellAnswer<Request>(
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

export function tellError(tracker: Tracker, visit: Visit, error: unknown, route: string | undefined): void {
  const known = error instanceof Error ? error : new Error(String(error))
  tracker.track({
    event: 'error',
    properties: {
      message: known.message || known.name,
      name: known.name,
      // The first lines say where; the rest would only make the event large.
      stack: known.stack?.slice(0, stackCharactersMax),
      url: visit.url,
      handled: false,
      tags: { method: visit.method, route: route ?? visit.path },
    },
  })
}

const stackCharactersMax = 8_000

/** Who it is and what they allow, asked of the application; a function that fails costs nothing but its answer. */
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
