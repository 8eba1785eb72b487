import type { Properties } from './event.ts'

export type AnyEvents = { [name: string]: Properties }
/** Properties may be omitted if none is required. */
export type Arguments<P> = Record<never, never> extends P ? [properties?: P] : [properties: P]
