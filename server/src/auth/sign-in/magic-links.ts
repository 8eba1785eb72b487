import { setImmediate as nextTurn } from 'node:timers/promises'
import { Problem } from '@assay/contract'
import { ownPath } from '../../http/input/own-path.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Logger } from '../../platform/logging/logger.ts'
import type { Mailer } from '../../platform/mail/mail.ts'
import { writeLetter } from '../../platform/mail/mail-layout.ts'
import { hashToken, newToken } from '../../platform/secrets/tokens.ts'
import { minuteMs } from '../../platform/units.ts'
import type { Control } from '../../store/control.ts'
import { isInvitationToken } from '../../workspaces/members/invitations.ts'
import { readEmail, type UserRow } from '../../workspaces/members/users.ts'
import type { Device } from '../sessions/devices.ts'
import type { Admission } from './sign-up.ts'
import { countUnusedLinks, insertLink, useLink } from './store.ts'

/** Decisions §2. */
const linkMinutes = 15
/** Links to one address that are open at a time. More would only fill the inbox: any of them still works. */
const openLinksMax = 5
/** Requests that were answered and not yet looked at. Each takes a millisecond. */
const waitingMax = 1_000

type LinkRequest = { email: string; returnTo: string; from: Device }

export type MagicLinks = {
  /**
   * Takes a request and returns at once. Whether there is an account is looked up after the answer was sent,
   * so that neither its text nor its time reveals it.
   */
  request: (wanted: LinkRequest) => void
  /** A link that signs its owner in, once, and then redirects. For invitations and the first start. */
  make: (email: string, minutes: number, returnTo?: string) => Promise<string>
  /** Who a link was sent to, at its first and only use; without a mail server also the link of an invitation. */
  redeem: (token: string) => Promise<UserRow | null>
  /** Resolves when everything that was asked for is sent. */
  idle: () => Promise<void>
}

type MagicLinksOptions = {
  control: Control
  mailer: Mailer
  admission: Admission
  now: Clock
  publicUrl: () => string
  logger: Logger
}

export function createMagicLinks(options: MagicLinksOptions): MagicLinks {
  const { control, mailer, admission, now, publicUrl } = options
  const logger = options.logger.child({ component: 'sign-in' })
  // bounded: by waitingMax, and by the mailer, which sends or gives up.
  const sending = new Set<Promise<void>>()
  let waiting = 0
  let turn: Promise<void> = Promise.resolve()

  async function make(email: string, minutes: number, returnTo = ''): Promise<string> {
    const token = newToken('ml')
    const createdAt = new Date(now())
    const expiresAt = new Date(createdAt.getTime() + minutes * minuteMs)
    await insertLink(control, { hash: hashToken(token), email, createdAt, expiresAt })
    const to = returnTo === '' ? '' : `&to=${encodeURIComponent(ownPath(returnTo))}`
    // Behind the # it stays in the browser: no server on the way and no linked page gets to see it.
    return `${publicUrl()}/sign-in#token=${token}${to}`
  }

  async function answer({ email, returnTo, from }: LinkRequest): Promise<void> {
    if (!(await admission.mayEnter(email))) return
    const recent = new Date(now() - linkMinutes * minuteMs)
    if ((await countUnusedLinks(control, email, recent)) >= openLinksMax) return
    const link = await make(email, linkMinutes, returnTo)
    const mail = mailer.send({ to: email, link, ...signInLetter(link, new URL(publicUrl()).host, from) })
    sending.add(mail)
    mail.finally(() => sending.delete(mail))
  }

  return {
    make,
    request(wanted) {
      if (waiting >= waitingMax) {
        throw new Problem('unavailable', {
          detail: 'Too many sign-in requests right now. Try again in a minute.',
          headers: { 'retry-after': '60' },
        })
      }
      const checked = { ...wanted, email: readEmail(wanted.email) }
      waiting++
      turn = turn
        .then(() => nextTurn())
        .then(() => answer(checked))
        .catch((error: unknown) => logger.error({ err: error }, 'A sign-in link could not be made'))
        .finally(() => {
          waiting--
        })
    },
    async redeem(token) {
      if (isInvitationToken(token)) return mailer.hasServer ? null : admission.enterInvited(token)
      const email = await useLink(control, hashToken(token), new Date(now()))
      return email === null ? null : admission.enter(email, '')
    },
    async idle() {
      await turn
      await Promise.all(sending)
    },
  }
}

function signInLetter(link: string, host: string, { device, country }: Device) {
  const place = country === '' ? device : `${device} (${country})`
  return {
    subject: 'Sign in to Assay',
    ...writeLetter({
      heading: 'Sign in to Assay',
      paragraphs: [`Use this link to sign in at ${host}. It works once.`],
      action: { label: 'Sign in', url: link },
      notes: [
        `The link expires in ${linkMinutes} minutes. It was requested from ${place}.`,
        'If this was not you, ignore this email: no one can sign in without the link. Do not forward it.',
      ],
    }),
  }
}
