import {
  ApiProblem,
  type Client,
  commandScopes,
  mintApiKey,
  requestMagicLink,
  verifyMagicLink,
} from '@assay/contract'
import type { Context } from '../command.ts'
import { CommandFailure, exitCodes, misuse } from '../failure.ts'
import { clientFor, requireWellFormed } from '../server/connection.ts'
import { explainProblem } from '../server/refusal.ts'
import { signInByBrowser } from './browser.ts'

/**
 * The user signs in with the browser or by a link in a mail and gets a key for this command, or enters an
 * existing one.
 */
export async function askForKey(context: Context, server: string): Promise<string> {
  const { terminal } = context.world
  if (!terminal.isInteractive || context.isJson) {
    throw misuse(`There is no key for ${server}.`, 'Give one with --key or in ASSAY_KEY.')
  }
  const question = 'Enter to sign in with the browser; or an API key, or your email address: '
  const answer = (await terminal.ask(question)).trim()
  if (answer === '') return signInByBrowser(context, server)
  return answer.includes('@') ? signInByMail(context, server, answer) : requireWellFormed(answer)
}

async function signInByMail(context: Context, server: string, email: string): Promise<string> {
  const open = clientFor(context, server, null)
  await open.call(requestMagicLink, { body: { email } })
  context.say('If there is an account, a link is on its way. Without a mail server, the server prints it.')
  const pasted = await context.world.terminal.ask('Do not open it: copy its address and paste it here: ')
  const token = tokenIn(pasted)
  const { access_token } = await open.call(verifyMagicLink, { body: { token } })
  if (access_token === undefined) throw new CommandFailure(exitCodes.server, 'The server gave no session.')
  return mintFor(clientFor(context, server, access_token))
}

/** The token follows the # in the link; it may also be pasted alone. */
function tokenIn(pasted: string): string {
  const token = /(?:[#?&]token=)?(ml_[A-Za-z0-9_-]+)/.exec(pasted.trim())?.[1]
  if (token === undefined) throw misuse('This is not a sign-in link.', 'It ends in #token=ml_…')
  return token
}

/** A separate key that can be revoked alone; a user who may not create keys needs one from an admin. */
async function mintFor(client: Client): Promise<string> {
  try {
    const { key } = await client.call(mintApiKey, {
      body: { kind: 'secret', name: 'assay command', scopes: [...commandScopes] },
    })
    return key
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error
    if (error.status !== 403) throw explainProblem(error)
    throw new CommandFailure(
      exitCodes.server,
      'You are signed in, but your role may not create API keys.',
      'Ask an admin of the workspace for a key, then: assay init --key …',
    )
  }
}
