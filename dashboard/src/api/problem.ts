import { ApiProblem } from '@assay/contract'
import { text } from '../text.ts'
import { Unreachable } from './connection.ts'

/** What went wrong in words, and what somebody who looks after the server needs to find it. */
export type Told = { title: string; detail: string; fields: readonly string[]; reference: string }

export function tellProblem(error: Error): Told {
  if (error instanceof Unreachable || error.name === 'TimeoutError') {
    return { ...text.states.unreachable, fields: [], reference: '' }
  }
  if (!(error instanceof ApiProblem)) {
    return { title: text.states.broken.title, detail: error.message, fields: [], reference: '' }
  }
  const fields = (error.body.errors ?? []).map(({ field, message }) => `${field}: ${message}`)
  const [title = error.message] = [error.body.title]
  return { title, detail: error.detail, fields, reference: error.instance }
}

export const isRefused = (error: Error | null): boolean => error instanceof ApiProblem && error.status === 403
export const isMissing = (error: Error | null): boolean => error instanceof ApiProblem && error.status === 404
