import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, Tracer } from '../platform/tracing/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    span: RequestSpan | null
  }
}

/** A span for each request, from its head to its answer; the address by its template, and nothing that was sent. */
export function traceRequests(app: FastifyInstance, tracer: Tracer): void {
  app.decorateRequest('span', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.span = tracer.openRequest(wantedOf(request), request.headers.traceparent)
    request.span.within(done)
  })
  // The body arrives on the connection, outside of what the first hook began.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.span === null) done()
    else request.span.within(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    request.span?.end(reply.statusCode)
    done()
  })
}

function wantedOf({ method, id, routeOptions }: FastifyRequest) {
  const route = routeOptions.url ?? 'none'
  return {
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'assay.request_id': id },
  }
}
