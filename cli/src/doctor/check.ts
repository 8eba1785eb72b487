/** `unknown`: it could not be looked at, for a reason that is told. */
export type CheckStatus = 'ok' | 'warn' | 'fail' | 'unknown'

/** One thing that the doctor looked at. */
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
