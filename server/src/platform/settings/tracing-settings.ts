import { samplers, type TracingSettings } from '../tracing/tracer.ts'
import { ConfigError, type Env, readChoice, readUrl } from './environment.ts'

/** The standard names of OpenTelemetry; the SDK reads further ones itself, such as those of headers and service. */
export function readTracing(env: Env): TracingSettings | undefined {
  const endpoints = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']
  const hasEndpoint = endpoints.map((name) => readUrl(env, name, ['http:', 'https:'])).some(Boolean)
  const isOff = env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none'
  if (!hasEndpoint || isOff) return undefined
  const share = env.OTEL_TRACES_SAMPLER_ARG ?? ''
  const ratio = share === '' ? 1 : Number(share)
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${share}".`)
  }
  return { sampler: readChoice(env, 'OTEL_TRACES_SAMPLER', samplers), ratio }
}
