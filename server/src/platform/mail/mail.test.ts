import { expect, test } from 'vitest'
import { silentLogger } from '../logging/logger.ts'
import { createMailer } from './mail.ts'

test('without a mail server a link is printed, and no one is said to have received anything', async () => {
  const printed: string[] = []
  const print = (line: string) => void printed.push(line)
  const mailer = createMailer({
    smtpUrl: undefined,
    from: () => 'a@example.com',
    print,
    logger: silentLogger,
  })
  const mail = {
    to: 'b@example.com',
    subject: 'Sign in',
    text: 't',
    html: '<p>t</p>',
    link: 'https://x.example/',
  }
  expect(await mailer.deliver(mail)).toMatchObject({
    isDelivered: false,
    isFinal: true,
    reason: expect.stringContaining('ASSAY_SMTP_URL'),
  })
  expect(printed).toEqual([])
  await mailer.send(mail)
  expect(printed).toEqual(['For b@example.com: Sign in: https://x.example/'])
  mailer.close()
})
