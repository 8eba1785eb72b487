export { openPortableEngine, type PortableEngine, type PortableEngineOptions } from './engine.ts'
export type { Outcome } from './protocol.ts'
export type { Statement } from './statement.ts'
export { StatementError } from './worker-client.ts'
