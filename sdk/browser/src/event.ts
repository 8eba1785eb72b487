export type Properties = { readonly [name: string]: unknown }

export type TrackOptions = {
  /**
   * A passive event, such as a web vital, reports a state and not an action: it does not extend the session.
   */
  isPassive?: boolean
  /** When it happened, if not now. */
  ts?: number | undefined
  /** The session, if not the current one. */
  sessionId?: string
  contractVersion?: string | undefined
  /** The description of the element it happened to; in the context, since the properties belong to the contract. */
  element?: Properties | undefined
}

export const passive: TrackOptions = { isPassive: true }
