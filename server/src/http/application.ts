import { ingestLimits, otherClientPaths, Problem, routes, shortPaths } from '@assay/contract'
import cors from '@fastify/cors'
import { Ajv, type ValidateFunction } from 'ajv'
import fastJson from 'fast-json-stringify'
import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import type { FastifyValidationResult } from 'fastify/types/schema.js'
import type { Logger } from '../platform/logging/logger.ts'
import type { NodeRole } from '../platform/node/node-roles.ts'
import { readBodies } from './input/body.ts'
import { brokenRequests } from './input/broken-request.ts'
import { allowanceHeaders } from './limits/allowance.ts'
import { type FirstSite, showStanding } from './limits/limit-headers.ts'
import type { Limits } from './limits/limits.ts'
import { type Proxies, proxyTrust } from './limits/proxy-trust.ts'
import { misdirected } from './missing-role.ts'
import { problemWriter } from './problem.ts'
import { httpLogger, RequestLog } from './request-log.ts'
import { pathIn, secureReply } from './security-headers.ts'

type ApplicationOptions = {
  limits: Limits
  firstSite: FirstSite
  errorsUrl: () => string
  publicUrl: () => string
  newRequestId: () => string
  now: () => number
  proxies: Proxies
  logger: Logger
  logRequests: boolean
  /** Of this node. */
  roles: readonly NodeRole[]
  /** Whether this node is about to stop: callers should come back to another one. */
  isDraining: () => boolean
}

/** Some addresses are other names of one that is served. */
function servedAs(url: string): string {
  const path = pathIn(url)
  const served = shortPaths.get(path) ?? otherClientPaths.get(path)
  return served === undefined ? url : served + url.slice(path.length)
}

/** How long a client may take to send one request before its connection is closed. */
const requestTimeoutMs = 30_000

/** While the product stops: time to answer a request in flight with a refusal. */
const stoppingKeepAliveMs = 1_000

/** An HTTP application that answers every failure as a problem, for any input. */
export async function createApplication(options: ApplicationOptions): Promise<FastifyInstance> {
  const broken = brokenRequests(options)
  const app = Fastify({
    bodyLimit: ingestLimits.bodyBytesMax,
    requestTimeout: requestTimeoutMs,
    // Node and Fastify would answer both without a body; the hooks below answer with a problem.
    http: { requireHostHeader: false },
    return503OnClosing: false,
    trustProxy: options.proxies === 0 ? false : proxyTrust(options.proxies),
    genReqId: options.newRequestId,
    routerOptions: { maxParamLength: 600 },
    rewriteUrl: ({ url = '/' }) => servedAs(url),
    loggerInstance: httpLogger(options.logger, options.logRequests),
    logController: new RequestLog(options.logRequests),
    frameworkErrors: (error, request, reply) => {
      // No hook runs for a malformed URL.
      secureReply(request, reply, options.publicUrl(), isDataPath)
      const allowance = options.limits.peek('open', request.ip)
      if (allowance) reply.headers(allowanceHeaders(allowance))
      writeProblem(error, request, reply)
    },
    clientErrorHandler: broken.unreadable,
  })
  const writeProblem = problemWriter(options.errorsUrl)
  const methodsOf = collectMethods(app)
  app.decorateRequest('caller', null)
  app.setErrorHandler(writeProblem)
  app.setNotFoundHandler((request, reply) =>
    writeProblem(notServed(options.roles, request, methodsOf), request, reply),
  )
  app.setValidatorCompiler(({ schema, httpPart }) =>
    validator(httpPart === 'body' ? strict : lenient, schema),
  )
  app.setSerializerCompiler(({ schema }) => serializer(schema))
  refuseUnservable(app)
  readBodies(app, options.now)
  await app.register(cors, { delegator: corsFor })
  app.addHook('onSend', (request, reply, _payload, done) => {
    secureReply(request, reply, options.publicUrl(), isDataPath)
    if (options.isDraining()) reply.header('connection', 'close')
    if (reply.hasHeader('x-ratelimit-limit')) done()
    else showStanding(options.limits, options.firstSite, request, reply).then(() => done(), done)
  })
  app.server.on('connect', (_request, socket) => broken.tunnel(socket))
  // Node would answer an unknown expectation without a body; RFC 9110 §10.1.1 lets a server ignore it.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  return app
}

/** Refusals before routing: a request without a host, and one that arrives while the product stops. */
function refuseUnservable(app: FastifyInstance): void {
  let isClosing = false
  app.addHook('preClose', (done) => {
    isClosing = true
    // Node closes connections that are idle now; one that is answered later would stay open for Fastify's 72
    // s.
    app.server.keepAliveTimeout = stoppingKeepAliveMs
    done()
  })
  app.addHook('onRequest', (request, _reply, done) => {
    if (isClosing) done(closing)
    // RFC 9112 §3.2: a request of HTTP/1.1 without it gets 400.
    else if (request.headers.host === undefined && request.raw.httpVersion === '1.1') done(withoutHost)
    else done()
  })
}

const closing = new Problem('unavailable', {
  detail: 'This node is stopping. Nothing of this request was stored; send it again.',
  headers: { 'retry-after': '1' },
})
const withoutHost = new Problem('malformed-request', { detail: 'Name the host in the header Host.' })

/** Bodies are validated as sent: nothing is converted or removed. */
const strict = new Ajv({
  coerceTypes: false,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: false,
})
/** Query strings are text, so numbers and booleans are parsed from them. */
const lenient = new Ajv({
  coerceTypes: true,
  removeAdditional: false,
  useDefaults: false,
  allErrors: false,
  strict: false,
})

type Serializer = (answer: unknown) => string
const serializers = new WeakMap<object, Serializer>()

/**
 * Compiled at its first use, as the validators below, and once for all routes that answer the same: a shape takes 20 ms
 * of a core.
 */
function serializer(schema: object): Serializer {
  return (answer) => (serializers.get(schema) ?? compile(schema))(answer)
}

function compile(schema: object): Serializer {
  const compiled: Serializer = fastJson(schema)
  serializers.set(schema, compiled)
  return compiled
}

/** Compiled at its first use: compiling all of them would block for most of a second. */
function validator(ajv: Ajv, schema: object): FastifyValidationResult {
  let compiled: ValidateFunction | undefined
  const validate: FastifyValidationResult = (value: unknown) => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(value)
    // Fastify reads them here, right after the call.
    validate.errors = compiled.errors ?? null
    return isValid
  }
  return validate
}

const toPattern = (path: string) =>
  new RegExp(`^${path.replace(/:[A-Za-z_]+/g, '[^/]+').replaceAll('*', '.*')}$`)

const dataPaths = routes.filter((route) => route.plane === 'data').map((route) => route.path)
const plainDataPaths: ReadonlySet<string> = new Set(dataPaths)
const dataPatterns = dataPaths.filter((path) => path.includes(':')).map(toPattern)

function isDataPath(path: string): boolean {
  return plainDataPaths.has(path) || dataPatterns.some((pattern) => pattern.test(path))
}

/** Made once: they are read with every request. */
const forNoOne = { origin: false }
const forOthers = {
  origin: '*',
  methods: 'GET, POST',
  // The last two: Segment's browser SDK counts its attempts, Umami's sends what it was given.
  allowedHeaders:
    'authorization, content-type, content-encoding, if-none-match, prefer, x-retry-count, x-umami-cache',
  exposedHeaders: 'etag, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, retry-after',
  // A day: browsers honour less, so this means "as long as possible".
  maxAge: 86_400,
}

/**
 * Only the data plane is for other origins; the control plane is called by servers and by the dashboard
 * itself.
 */
function corsFor(request: FastifyRequest, done: (error: Error | null, options: object) => void): void {
  const { method, url, headers } = request
  // Without these two it is not a preflight, but an unsupported method.
  const isPreflight = headers.origin !== undefined && headers['access-control-request-method'] !== undefined
  const isRefused = !isDataPath(pathIn(url)) || (method === 'OPTIONS' && !isPreflight)
  done(null, isRefused ? forNoOne : forOthers)
}

type MethodsOf = (path: string) => string[]

/** Collects the methods of each path as routes are registered: probes, pages and files too. */
function collectMethods(app: FastifyInstance): MethodsOf {
  const served: { method: string; pattern: RegExp }[] = []
  app.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) {
      if (one !== 'OPTIONS') served.push({ method: one, pattern: toPattern(url) })
    }
  })
  return (path) => [
    ...new Set(served.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  ]
}

function notServed(
  roles: readonly NodeRole[],
  { method, url }: Pick<FastifyRequest, 'method' | 'url'>,
  methodsOf: MethodsOf,
): Problem {
  const path = pathIn(url)
  const elsewhere = methodsOf(path).length === 0 ? misdirected(roles, path, toPattern) : null
  return elsewhere ?? notFound(method, path, methodsOf)
}

function notFound(method: string, path: string, methodsOf: MethodsOf): Problem {
  const methods = methodsOf(path)
  // HEAD comes with every GET, so it is never what was missing.
  const named = methods.filter((one) => one !== 'HEAD')
  if (named.length === 0)
    return new Problem('not-found', { detail: `There is no ${method} ${path.slice(0, 200)}.` })
  return new Problem('method-not-allowed', {
    detail: `${path.slice(0, 200)} takes ${named.join(', ')}.`,
    headers: { allow: named.join(', ') },
  })
}
