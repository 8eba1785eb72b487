import { type ApiProblem, keyKinds } from '@assay/contract'
import { CommandFailure, exitCodes } from '../failure.ts'

/** Explains a refusal of the server for a terminal. */
export function explainProblem(problem: ApiProblem): CommandFailure {
  const { message, hint } = wordsFor(problem)
  const { type, status, detail, instance } = problem
  return new CommandFailure(exitCodes.server, message, hint, { problem: { type, status, detail, instance } })
}

function wordsFor(problem: ApiProblem): { message: string; hint: string | null } {
  const { status, detail, type } = problem
  // Every refusal of the product names its problem type.
  if (type === 'about:blank') {
    return {
      message: `Something answered ${status}, but it was not Assay: ${oneLine(detail) || 'no text'}`,
      hint: 'Is the address right? A proxy, a gateway or a sign-in page in between answers like this.',
    }
  }
  if (status === 401) {
    return {
      message: `The server does not accept this key. ${detail}`,
      hint: 'It may be revoked, expired, or belong to another server. Get one from an admin, then: assay init --key …',
    }
  }
  if (status === 403) {
    return {
      message: `This key may not do that. ${detail}`,
      hint: `A ${keyKinds.public.prefix} key only sends events, and a ${keyKinds.test.prefix} key changes nothing.`,
    }
  }
  if (status === 404 && detail.startsWith('There is no ')) {
    return {
      message: `The server does not support this: ${detail}`,
      hint: 'It is probably older than this command. Update the server, or use the assay of its release.',
    }
  }
  if (status === 429) return { message: `Too many calls. ${detail}`, hint: 'Wait a minute and try again.' }
  return {
    message: `${problem.message}`,
    hint: status >= 500 ? `Quote ${problem.instance} in a report.` : null,
  }
}

function oneLine(text: string): string {
  return text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 120)
}
