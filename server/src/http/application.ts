import { ingestLimits, Problem, problems, routes, shortPaths } from '@assay/contract'
import cors from '@fastify/cors'
import { Ajv, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import Fastify, { type FastifyInstance, LogController } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import { readBodies } from './body.ts'
import { allowanceHeaders, type Limits } from './limits.ts'
import { problemWriter } from './problem.ts'

export type ApplicationOptions = {
  limits: Limits
  errorsUrl: () => string
  newRequestId: () => string
  trustProxy: boolean
  logRequests: boolean
}

/** How long a client may take to hand over one request before its connection is cut. */
const requestTimeoutMs = 30_000

/** An HTTP application that answers every failure as a problem, whatever bytes arrive. */
export async function createApplication(options: ApplicationOptions): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: ingestLimits.bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    trustProxy: options.trustProxy,
    genReqId: options.newRequestId,
    routerOptions: { maxParamLength: 300 },
    rewriteUrl: ({ url = '/' }) => shortPaths.get(url) ?? url,
    logger: { level: options.logRequests ? 'info' : 'warn' },
    logController: new LogController({ disableRequestLogging: !options.logRequests }),
    frameworkErrors: (error, request, reply) => writeProblem(error, request, reply),
    clientErrorHandler: answerBrokenRequest,
  })
  const writeProblem = problemWriter(options.errorsUrl)
  app.decorateRequest('caller', null)
  app.setErrorHandler(writeProblem)
  app.setNotFoundHandler((request, reply) =>
    writeProblem(notFound(request.method, request.url), request, reply),
  )
  app.setValidatorCompiler(({ schema, httpPart }) =>
    validator(httpPart === 'body' ? strict : lenient, schema),
  )
  app.setSerializerCompiler(({ schema }) => serializer(schema))
  readBodies(app)
  await app.register(cors, { delegator: corsFor })
  app.addHook('onSend', (request, reply, _payload, done) => {
    if (!reply.hasHeader('x-ratelimit-limit')) {
      const allowance = options.limits.peek('open', request.ip)
      if (allowance) reply.headers(allowanceHeaders(allowance))
    }
    done()
  })
  return app
}

/** Bodies are judged as sent: nothing is converted, nothing removed. */
const strict = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: false,
})
/** Query strings are text by nature, so numbers and booleans are read out of it. */
const lenient = new Ajv({
  coerceTypes: true,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: false,
})

/** As with validators: most of those hundreds are not needed for a long time, if ever. */
function serializer(schema: object): (answer: unknown) => string {
  let compiled: ReturnType<typeof fastJson> | undefined
  return (answer) => {
    compiled ??= fastJson(schema)
    return compiled(answer)
  }
}

/** Compiled at its first use: all of them together take most of a second, in which nobody is answered. */
function validator(ajv: Ajv, schema: object): FastifyValidationResult {
  let compiled: ValidateFunction | undefined
  const validate: FastifyValidationResult = (value: unknown) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(value)
    // Where Fastify looks for them, right after the call.
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

const dataPaths = new Set(routes.filter((route) => route.plane === 'data').map((route) => route.path))

/** Only the data plane is for other origins; the control plane is called by servers and by the dashboard itself. */
function corsFor(
  request: { url?: string | undefined },
  done: (error: Error | null, options: object) => void,
): void {
  const path = (request.url ?? '').split('?', 1)[0] ?? ''
  if (!dataPaths.has(path)) {
    done(null, { origin: false })
    return
  }
  done(null, {
    origin: '*',
    methods: ['GET', 'POST'],
    allowedHeaders: [
      'authorization',
      'content-type',
      'content-encoding',
      'if-none-match',
      'prefer',
      // Segment's browser SDK counts its attempts in it.
      'x-retry-count',
    ],
    exposedHeaders: [
      'etag',
      'x-ratelimit-limit',
      'x-ratelimit-remaining',
      'x-ratelimit-reset',
      'retry-after',
    ],
    // A day: the longest that browsers honour is shorter, so this only says "as long as you can".
    maxAge: 86_400,
  })
}

const patterns = routes.map((route) => ({
  method: route.method,
  matches: new RegExp(`^${route.path.replace(/:[A-Za-z_]+/g, '[^/]+')}$`),
}))

function notFound(method: string, url: string): Problem {
  const path = url.split('?', 1)[0] ?? ''
  const methods = patterns.filter((pattern) => pattern.matches.test(path)).map((pattern) => pattern.method)
  if (methods.length === 0)
    return new Problem('not-found', { detail: `There is no ${method} ${path.slice(0, 200)}.` })
  return new Problem('method-not-allowed', {
    detail: `${path.slice(0, 200)} takes ${methods.join(', ')}.`,
    headers: { allow: methods.join(', ') },
  })
}

type Socket = { writable: boolean; end: (text: string) => void; destroy: (error?: Error) => void }

/** Bytes that are not HTTP at all never reach a route; they get the same kind of answer. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const slug = error.code === 'HPE_HEADER_OVERFLOW' ? 'payload-too-large' : 'malformed-request'
  const { status, title } = problems[slug]
  const body = JSON.stringify({
    type: `about:blank#${slug}`,
    title,
    status,
    detail: 'This is not a readable HTTP request.',
    instance: '',
  })
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\nContent-Type: application/problem+json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}
