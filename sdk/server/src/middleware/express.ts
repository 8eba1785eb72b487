import type { Visit } from './visit.ts'
import { createWatch, trackerOf, type WatchOptions } from './watch.ts'

export { trackerOf }

/** The part of Express that is used, so that any version fits. */
export type ExpressRequest = {
  method: string
  originalUrl: string
  protocol: string
  ip?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Undefined until a route has matched. */
  route?: unknown
  baseUrl?: string
}
export type ExpressResponse = {
  statusCode: number
  getHeader: (name: string) => unknown
  once: (event: 'finish', listener: () => void) => unknown
}
export type ExpressNext = (error?: unknown) => void

export type ExpressMiddleware<Request extends ExpressRequest = ExpressRequest> = {
  /** Before your routes: `app.use(assay.requests)`. */
  requests: (request: Request, response: ExpressResponse, next: ExpressNext) => void
  /** After your routes and before your own error handler: `app.use(assay.errors)`. */
  errors: (error: unknown, request: Request, response: ExpressResponse, next: ExpressNext) => void
}

/** `identity: (request: Request) => …` takes Express's own type of a request, with what your middleware adds. */
export function watchExpress<Request extends ExpressRequest = ExpressRequest>(
  options: WatchOptions<Request>,
): ExpressMiddleware<Request> {
  const watch = createWatch(options)
  return {
    requests(request, response, next) {
      response.once('finish', () => {
        const contentType = response.getHeader('content-type')
        watch.answered(request, {
          status: response.statusCode,
          contentType: typeof contentType === 'string' ? contentType : undefined,
          route: routeOf(request),
        })
      })
      watch.begin(request, visitOf(request)).then(
        () => next(),
        () => next(),
      )
    },
    errors(error, request, _response, next) {
      watch.failed(request, error, routeOf(request))
      next(error)
    },
  }
}

function visitOf(request: ExpressRequest): Visit {
  const header = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
  const [path = '/'] = request.originalUrl.split('?')
  const url = `${request.protocol}://${header('host') ?? 'localhost'}${request.originalUrl}`
  return { method: request.method, url, path, header, ip: request.ip }
}

function routeOf({ route, baseUrl = '' }: ExpressRequest): string | undefined {
  const pattern = typeof route === 'object' && route !== null && 'path' in route ? route.path : undefined
  return typeof pattern === 'string' ? `${baseUrl}${pattern}` : undefined
}
