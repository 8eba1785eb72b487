export { type PortableEngine, StatementError, startPortableEngine } from './engine.ts'
export type { Outcome } from './protocol.ts'
export type { Statement } from './statement.ts'
