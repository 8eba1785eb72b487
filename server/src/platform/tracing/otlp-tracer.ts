import { AsyncLocalStorage } from 'node:async_hooks'
import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { Failures } from '../logging/failures.ts'
import { productVersion } from '../node/version.ts'
import { readTraceparent, writeTraceparent } from './traceparent.ts'
import type { SpanWanted, Tracer, TracingSettings } from './tracer.ts'

type TracerOptions = { nodeId: string; failures: Pick<Failures, 'report' | 'recovered'> }

/** A receiver that is away costs so many spans of memory, and no more: the rest is dropped. */
const queueMax = 2_048
const batchMax = 512
const sendEveryMs = 2_000
const exportMsMax = 10_000
/** While the product stops. */
const closeMsMax = 3_000
const spanLimits = { linkCountLimit: 32, attributeCountLimit: 32, attributeValueLengthLimit: 256 }

/** Spans that are sent to a receiver of OTLP over HTTP. Address, headers and service name are read by the SDK. */
export function openTracer(settings: TracingSettings, { nodeId, failures }: TracerOptions): Tracer {
  const own = { 'service.name': 'assay', 'service.version': productVersion, 'service.instance.id': nodeId }
  const processor = new BatchSpanProcessor({
    exporter: reported(new OTLPTraceExporter(), failures),
    maxQueueSize: queueMax,
    maxExportBatchSize: batchMax,
    scheduledDelayMillis: sendEveryMs,
    exportTimeoutMillis: exportMsMax,
  })
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(settings),
    spanProcessors: [processor],
    spanLimits,
  })
  return tracerOver(provider)
}

function tracerOver(provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('assay', productVersion)
  const running = new AsyncLocalStorage<Context>()
  const begin = ({ name, attributes = {}, links = [] }: SpanWanted, kind: SpanKind, parent: Context): Span =>
    tracer.startSpan(name, { kind, attributes, links: linksOf(links) }, parent)
  const run: Tracer['run'] = async (wanted, work) => {
    const parent = running.getStore() ?? ROOT_CONTEXT
    const span = begin(wanted, SpanKind.INTERNAL, parent)
    try {
      return await running.run(trace.setSpan(parent, span), work)
    } catch (error) {
      // Its class alone: messages may quote what was sent.
      const type = error instanceof Error ? error.name : 'unknown'
      span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  }
  return {
    run,
    runWithin: (wanted, work) => (running.getStore() === undefined ? work() : run(wanted, work)),
    current: () => {
      const span = trace.getSpan(running.getStore() ?? ROOT_CONTEXT)
      return span?.isRecording() ? writeTraceparent(span.spanContext()) : undefined
    },
    openRequest: (wanted, caller) => {
      const remote = readTraceparent(caller)
      const parent = remote === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
      const span = begin(wanted, SpanKind.SERVER, parent)
      const context = trace.setSpan(parent, span)
      return {
        within: (next) => running.run(context, next),
        end: (status) => {
          span.setAttribute('http.response.status_code', status)
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
          span.end()
        },
      }
    },
    close: async () => {
      await Promise.race([provider.shutdown().catch(() => {}), after(closeMsMax)])
    },
  }
}

function linksOf(links: readonly string[]) {
  return links.slice(0, spanLimits.linkCountLimit).flatMap((link) => {
    const context = readTraceparent(link)
    return context === null ? [] : [{ context }]
  })
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function samplerOf({ sampler, ratio }: TracingSettings): Sampler {
  const root = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  }
  switch (sampler) {
    case 'always_on':
    case 'always_off':
    case 'traceidratio':
      return root[sampler]()
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: root.always_on() })
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: root.always_off() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: root.traceidratio() })
  }
}

const exportSucceeded = 0

/** A receiver that is away is a part that fails: `/readyz` names it, and nothing else depends on it. */
function reported(exporter: SpanExporter, failures: TracerOptions['failures']): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === exportSucceeded) failures.recovered('traces')
        else failures.report('traces', result.error ?? new Error('the receiver refused the spans'))
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}
