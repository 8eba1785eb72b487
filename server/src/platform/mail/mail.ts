import { setTimeout as wait } from 'node:timers/promises'
import type { Logger, Print } from '../logging/logger.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  /** The purpose of the mail, printed without a mail server. */
  link: string
  /** By name, besides those of every mail. */
  headers?: Readonly<Record<string, string>>
}

export type MailOutcome =
  | { isDelivered: true }
  /** Final: another attempt would fail in the same way. The reason names neither sender nor receiver. */
  | { isDelivered: false; isFinal: boolean; reason: string }

export type Mailer = {
  /** Without a mail server no one receives anything: who asked for a mail is shown its link instead. */
  hasServer: boolean
  /**
   * Resolves when the mail server accepted it, or after giving up: that is logged, and the caller is not
   * notified.
   */
  send: (mail: Mail) => Promise<void>
  /** One attempt, for callers who keep what is to be sent and try again themselves. */
  deliver: (mail: Mail) => Promise<MailOutcome>
  close: () => void
}

type MailerOptions = {
  smtpUrl: string | undefined
  from: () => string
  print: Print
  logger: Logger
  retryMs?: readonly number[]
}

/**
 * Grey-listing mail servers refuse the first time; a link is valid for 15 minutes, so retrying for days makes
 * no sense.
 */
const usualRetryMs = [2_000, 30_000]
/** Prevents out-of-office replies. */
const usualHeaders = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
/** A mail server that is silent for this long is not going to answer. */
const silenceMsMax = 15_000

export function createMailer({
  smtpUrl,
  from,
  print,
  logger,
  retryMs = usualRetryMs,
}: MailerOptions): Mailer {
  if (smtpUrl === undefined) return terminalMailer(print)
  let opened: ReturnType<typeof openTransport> | null = null
  const closing = new AbortController()
  const transport = async () => {
    opened ??= openTransport(smtpUrl)
    // What could not be opened is opened again for the next mail.
    return opened.catch((error: unknown) => {
      opened = null
      throw error
    })
  }
  async function deliver({ to, subject, text, html, headers }: Mail): Promise<MailOutcome> {
    try {
      const message = { from: from(), to, subject, text, html, headers: { ...usualHeaders, ...headers } }
      await (await transport()).sendMail(message)
      return { isDelivered: true }
    } catch (error) {
      return { isDelivered: false, isFinal: isFinal(error), reason: describe(error) }
    }
  }
  return {
    hasServer: true,
    deliver,
    async send(mail) {
      for (const delayMs of [...retryMs, null]) {
        const outcome = await deliver(mail)
        if (outcome.isDelivered) return
        if (delayMs === null || outcome.isFinal || closing.signal.aborted) {
          logger.error(
            `A mail could not be delivered: ${outcome.reason}. Check ASSAY_SMTP_URL and ASSAY_MAIL_FROM.`,
          )
          return
        }
        await wait(delayMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
      }
    },
    close() {
      closing.abort()
      opened?.then(
        (open) => open.close(),
        () => {},
      )
    },
  }
}

/** Without a mail server the operator reads on the terminal what would have been sent. */
function terminalMailer(print: Print): Mailer {
  const send = async ({ to, subject, link }: Mail) => print(`For ${to}: ${subject}: ${link}`)
  return {
    hasServer: false,
    send,
    // Who keeps what is to be sent has to know that no one received it.
    deliver: async () => ({
      isDelivered: false,
      isFinal: true,
      reason: 'No mail server is configured: set ASSAY_SMTP_URL',
    }),
    close: () => {},
  }
}

/** Loaded with the first mail: no start waits for it. */
async function openTransport(smtpUrl: string) {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    url: smtpUrl,
    connectionTimeout: silenceMsMax,
    greetingTimeout: silenceMsMax,
    socketTimeout: silenceMsMax,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** SMTP: from 500 on a retry gets the same answer. */
function isFinal(error: unknown): boolean {
  return error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= 500
}

/** The whole message may name the person. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const parts = ['code' in error ? error.code : error.name, 'responseCode' in error ? error.responseCode : '']
  return parts.filter((part) => part !== '').join(' ')
}
