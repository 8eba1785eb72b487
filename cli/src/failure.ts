/** What a command says to the shell. Written in docs/cli.md, so that scripts can rely on it. */
export const exitCodes = {
  fine: 0,
  /** Something was found, or was not done: events that fail, a conflict, a plan that nobody confirmed. */
  found: 1,
  /** The command was not understood, or the project is not set up for it. */
  misuse: 2,
  /** The server could not be reached, or refused. */
  server: 3,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An end that was foreseen: what went wrong, and what to do about it. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode
  readonly hint: string | null
  /** More for machines, shown with --json. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    exitCode: ExitCode,
    message: string,
    hint: string | null = null,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
    this.hint = hint
    this.details = details
  }
}

export function misuse(message: string, hint: string | null = null): CommandFailure {
  return new CommandFailure(exitCodes.misuse, message, hint)
}
