/** Exit codes, documented in docs/cli.md so that scripts can rely on them. */
export const exitCodes = {
  fine: 0,
  /** Something was found, or was not done: failing events, a conflict, a plan that was not confirmed. */
  found: 1,
  /** The command line is invalid, or the project is not set up for it. */
  misuse: 2,
  /** The server could not be reached, or refused. */
  server: 3,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** An expected failure: what went wrong, and what to do about it. */
export class CommandFailure extends Error {
  readonly exitCode: ExitCode
  readonly hint: string | null
  /** Details for machines, shown with --json. */
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
