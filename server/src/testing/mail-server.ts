import type { AddressInfo } from 'node:net'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { untilTrue } from './harness.ts'

export type MailServer = {
  url: string
  mails: readonly Email[]
  /** The next so many mails are turned away for now, as grey-listing servers do. */
  refuseNext: (count: number) => void
  /** The newest mail to an address, once there are so many. */
  newest: (to: string, count?: number) => Promise<Email>
  close: () => Promise<void>
}

/** A mail server that takes everything, and keeps it parsed. */
export async function startMailServer(): Promise<MailServer> {
  const mails: Email[] = []
  let refusals = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        if (refusals > 0) {
          refusals--
          done(Object.assign(new Error('Come back later'), { responseCode: 451 }))
          return
        }
        PostalMime.parse(Buffer.concat(chunks)).then((mail) => {
          mails.push(mail)
          done()
        }, done)
      })
    },
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  // boundary: a server that listens on a port has an address with a port.
  const { port } = server.server.address() as AddressInfo
  const to = (address: string) => mails.filter((mail) => mail.to?.some((one) => one.address === address))
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    refuseNext: (count) => {
      refusals = count
    },
    async newest(address, count = 1) {
      await untilTrue(`mail number ${count} to ${address}`, () => to(address).length >= count)
      const mail = to(address).at(-1)
      if (mail === undefined) throw new Error('there was one a moment ago')
      return mail
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
