import { ulid } from 'ulid'

/** The world, passed in: nothing else reads the clock or makes ids. */
export type Clock = () => number
export type NewId = (prefix: string) => string

export const systemClock: Clock = () => Date.now()

/** A prefix and a sortable random body, such as `site_01k9…`. */
export const newId: NewId = (prefix) => `${prefix}_${ulid().toLowerCase()}`
