import {
  amplitudeEvents,
  clientBatch,
  ga4Collect,
  isRecord,
  matomoPixel,
  matomoTrack,
  mixpanelEngage,
  mixpanelEngageOne,
  mixpanelImport,
  mixpanelTrack,
  mixpanelTrackOne,
  Problem,
  plausibleEvent,
  posthogCapture,
  posthogConfig,
  posthogConfigScript,
  posthogFlags,
  readKeyKind,
  rudderSourceConfig,
  umamiSend,
} from '@assay/contract'
import { type Plane, serve } from '../../http/serve.ts'
import { notForPublicKeys } from '../handlers.ts'
import { configFor, configScriptFor, noFlags, sourceConfig } from './answers.ts'
import { type ClientNeeds, submitCalls } from './submission.ts'

/** Addresses of other tools' clients. */
export function otherClientRoutes(plane: Plane, deps: ClientNeeds): void {
  const { now } = deps
  serve(plane, posthogFlags, () => noFlags)
  serve(plane, posthogConfig, ({ params }) => configFor(requireKey(params.token)))
  serve(plane, posthogConfigScript, async ({ params, reply }) => {
    const script = configScriptFor(requireKey(params.token))
    return reply.type('text/javascript; charset=utf-8').serializer(String).send(script)
  })
  serve(plane, rudderSourceConfig, () => sourceConfig)

  serve(plane, posthogCapture, async (call) => ({ status: 1, assay: await submitCalls(plane, deps, call) }))
  serve(plane, clientBatch, async (call) => {
    const assay = await submitCalls(plane, deps, call)
    const events_ingested = countIn(call.body)
    return { status: 1, code: 200, events_ingested, server_upload_time: now(), assay }
  })
  serve(plane, plausibleEvent, async (call) => ({ assay: await submitCalls(plane, deps, call) }))
  serve(plane, umamiSend, async (call) => {
    const assay = await submitCalls(plane, deps, call)
    return { cache: '', sessionId: '', visitId: '', assay }
  })
  serve(plane, ga4Collect, async (call) => ({ assay: await submitCalls(plane, deps, call) }))
  serve(plane, amplitudeEvents, async (call) => {
    const assay = await submitCalls(plane, deps, call)
    const payload_size_bytes = call.request.bodyCharacters
    return {
      code: 200,
      events_ingested: countIn(call.body),
      payload_size_bytes,
      server_upload_time: now(),
      assay,
    }
  })
  mixpanelRoutes(plane, deps)
  matomoRoutes(plane, deps)
}

function requireKey(token: string): string {
  if (readKeyKind(token) === null) throw new Problem('not-found', { detail: 'This is no key of ours.' })
  return token
}

function mixpanelRoutes(plane: Plane, deps: ClientNeeds): void {
  for (const route of [mixpanelTrack, mixpanelTrackOne, mixpanelEngage, mixpanelEngageOne]) {
    serve(plane, route, async (call) => {
      const assay = await submitCalls(plane, deps, { ...call, body: call.request.body })
      const isVerbose = isRecord(call.request.query) && call.request.query.verbose === '1'
      if (isVerbose) return { status: 1, error: null, assay }
      // Its clients compare the whole answer with this.
      return call.reply.type('text/plain').serializer(String).send('1')
    })
  }
  serve(plane, mixpanelImport, async (call) => {
    if (call.caller.keyKind === 'public') throw notForPublicKeys
    const assay = await submitCalls(plane, deps, call, true)
    return { code: 200, num_records_imported: countIn(call.body) - assay.rejected, status: 'OK', assay }
  })
}

function matomoRoutes(plane: Plane, deps: ClientNeeds): void {
  serve(plane, matomoTrack, async (call) => {
    const assay = await submitCalls(plane, deps, call)
    const invalid = assay.rejected
    return { status: 'success', tracked: countIn(call.body) - invalid, invalid, assay }
  })
  serve(plane, matomoPixel, async (call) => {
    await submitCalls(plane, deps, { ...call, body: call.request.body })
    return call.reply.code(204).send()
  })
}

/** How many calls a translated request has. */
const countIn = (body: unknown) => (isRecord(body) && Array.isArray(body.batch) ? body.batch.length : 0)
