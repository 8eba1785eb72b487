/** `unknown`: the check could not run; the message gives the reason. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'unknown'

/** Result of one check. */
export type Check = { name: string; status: CheckStatus; message: string; hint?: string }

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message })
export const warn = (name: string, message: string, hint: string): Check => ({
  name,
  status: 'warn',
  message,
  hint,
})
export const fail = (name: string, message: string, hint: string): Check => ({
  name,
  status: 'fail',
  message,
  hint,
})
export const unknown = (name: string, message: string): Check => ({ name, status: 'unknown', message })
