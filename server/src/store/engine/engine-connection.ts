import type { ClickHouseClientConfigOptions } from '@clickhouse/client'

/** What `createClient({ connection })` of `@clickhouse/client` takes. */
export type EngineConnection = NonNullable<ClickHouseClientConfigOptions['connection']>
export type EngineQuery = Parameters<EngineConnection['query']>[0]
