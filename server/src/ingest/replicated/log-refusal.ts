/** The log cannot be used as the settings say; the message says what to do. */
export class LogRefused extends Error {
  override readonly name = 'LogRefused'
}
