import type { AnyEvents, Tracker } from '../client.ts'
import type { Visit } from './visit.ts'
import { createWatch, trackerOf as trackerOfRequest, type WatchOptions } from './watch.ts'

/** The part of Hono that is used, so that any version on any run time fits. */
export type HonoContext = {
  req: {
    method: string
    url: string
    path: string
    raw: object
    header: (name: string) => string | undefined
  }
  res: { status: number; headers: { get: (name: string) => string | null } }
  error?: unknown
}

export type HonoOptions = WatchOptions<HonoContext> & {
  /** The visitor's IP address, which each run time exposes differently; by default from proxy headers. */
  ip?: (context: HonoContext) => string | undefined
  /** The matched pattern, for example from `routePath` of `hono/route`. */
  route?: (context: HonoContext) => string | undefined
}

/** `app.use(watchHono(options))` before your routes. */
export function watchHono(options: HonoOptions) {
  const watch = createWatch<HonoContext>(options)
  return async (context: HonoContext, next: () => Promise<void>): Promise<void> => {
    await watch.begin(context, visitOf(context, options))
    await next()
    const route = options.route?.(context)
    if (context.error !== undefined) watch.failed(context, context.error, route)
    watch.answered(context, {
      status: context.res.status,
      contentType: context.res.headers.get('content-type') ?? undefined,
      route,
    })
  }
}

export function trackerOf<Events extends AnyEvents = AnyEvents>(
  context: HonoContext,
): Tracker<Events> | undefined {
  return trackerOfRequest<Events>(context)
}

function visitOf(context: HonoContext, options: HonoOptions): Visit {
  const { req } = context
  const header = (name: string) => req.header(name)
  const forwarded = header('cf-connecting-ip') ?? header('x-forwarded-for')?.split(',')[0]?.trim()
  return {
    method: req.method,
    url: req.url,
    path: req.path,
    header,
    ip: options.ip ? options.ip(context) : forwarded,
  }
}
