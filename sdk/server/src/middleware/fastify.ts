import type { Visit } from './visit.ts'
import { createWatch, trackerOf, type WatchOptions } from './watch.ts'

export { trackerOf }

/** The part of Fastify that is used, so that any version fits. */
export type FastifyRequestLike = {
  method: string
  url: string
  protocol: string
  ip: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  routeOptions?: { url?: string | undefined }
}
type ReplyLike = { statusCode: number; getHeader: (name: string) => unknown }
type Done = (error?: Error) => void

/** For the whole application: `watchFastify(app, options)` before your routes. */
export function watchFastify(app: object, options: WatchOptions<FastifyRequestLike>): void {
  const watch = createWatch(options)
  const addHook = hookOf(app)
  addHook('onRequest', (request, _reply, done) => {
    watch.begin(request, visitOf(request)).then(
      () => done(),
      () => done(),
    )
  })
  addHook('onError', (request, _reply, error, done) => {
    watch.failed(request, error, request.routeOptions?.url)
    done()
  })
  addHook('onResponse', (request, reply, done) => {
    const contentType = reply.getHeader('content-type')
    watch.answered(request, {
      status: reply.statusCode,
      contentType: typeof contentType === 'string' ? contentType : undefined,
      route: request.routeOptions?.url,
    })
    done()
  })
}

type AddHook = {
  (
    name: 'onError',
    hook: (request: FastifyRequestLike, reply: ReplyLike, error: unknown, done: Done) => void,
  ): void
  (
    name: 'onRequest' | 'onResponse',
    hook: (request: FastifyRequestLike, reply: ReplyLike, done: Done) => void,
  ): void
}

/** Fastify types its hooks by overloads that no smaller type is assignable to; their arguments are fixed. */
function hookOf(app: object): AddHook {
  const addHook: unknown = Reflect.get(app, 'addHook')
  if (typeof addHook !== 'function') throw new TypeError('Pass the Fastify application itself.')
  // boundary: Fastify calls these three hooks with these arguments, in every version since 3.
  return ((name: string, hook: unknown) => addHook.call(app, name, hook)) as AddHook
}

function visitOf(request: FastifyRequestLike): Visit {
  const header = (name: string) => {
    const value = request.headers[name]
    return typeof value === 'string' ? value : value?.join(', ')
  }
  const [path = '/'] = request.url.split('?')
  const url = `${request.protocol}://${header('host') ?? 'localhost'}${request.url}`
  return { method: request.method, url, path, header, ip: request.ip }
}
