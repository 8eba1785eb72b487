/** What a person sees and says. */
export type Terminal = {
  /** The result, for whoever reads or pipes it. */
  out: (text: string) => void
  /** Everything beside the result: progress, notes, failures. */
  err: (text: string) => void
  /** Somebody is there who can answer. */
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
  /** Whoever started us has closed our standard input. */
  inputEnded: () => Promise<void>
  /** Shows a page to whoever sits here; nothing happens where that cannot be. */
  openBrowser: (url: string) => void
  terminal: Terminal
}
