/** The user's terminal. */
type Terminal = {
  /** The result, to be read or piped. */
  out: (text: string) => void
  /** Everything but the result: progress, notes, failures. */
  err: (text: string) => void
  /** A person can answer questions. */
  isInteractive: boolean
  hasColour: boolean
  ask: (question: string) => Promise<string>
}

/** Everything that a command touches besides the files below its directory. */
export type World = {
  directory: string
  home: string
  environment: Readonly<Record<string, string | undefined>>
  now: () => number
  newId: () => string
  wait: (ms: number) => Promise<void>
  fetch: typeof fetch
  input: () => AsyncIterable<string | Uint8Array>
  /** Resolves when the parent process closes our standard input. */
  inputEnded: () => Promise<void>
  /** Opens a page in the user's browser; does nothing if there is none. */
  openBrowser: (url: string) => void
  terminal: Terminal
}
