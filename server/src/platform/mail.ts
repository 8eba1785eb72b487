import { setTimeout as wait } from 'node:timers/promises'
import type { Logger, Print } from './logger.ts'

export type Mail = {
  to: string
  subject: string
  text: string
  html: string
  /** The purpose of the mail, printed without a mail server. */
  link: string
}

export type Mailer = {
  /**
   * Resolves when the mail server accepted it, or after giving up: that is logged, and the caller is not
   * notified.
   */
  send: (mail: Mail) => Promise<void>
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
/** A mail server that is silent for this long is not going to answer. */
const silenceMsMax = 15_000

export function createMailer({
  smtpUrl,
  from,
  print,
  logger,
  retryMs = usualRetryMs,
}: MailerOptions): Mailer {
  if (smtpUrl === undefined) {
    return {
      send: async ({ to, subject, link }) => print(`For ${to}: ${subject}: ${link}`),
      close: () => {},
    }
  }
  let opened: ReturnType<typeof openTransport> | null = null
  const closing = new AbortController()
  return {
    async send({ to, subject, text, html }) {
      // Prevents out-of-office replies.
      const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
      for (const delayMs of [...retryMs, null]) {
        try {
          opened ??= openTransport(smtpUrl)
          const transport = await opened
          await transport.sendMail({ from: from(), to, subject, text, html, headers })
          return
        } catch (error) {
          if (delayMs === null || isFinal(error) || closing.signal.aborted) {
            logger.error(
              `A mail could not be delivered: ${describe(error)}. Check ASSAY_SMTP_URL and ASSAY_MAIL_FROM.`,
            )
            return
          }
          await wait(delayMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
        }
      }
    },
    close() {
      closing.abort()
      opened?.then(
        (transport) => transport.close(),
        () => {},
      )
    },
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
