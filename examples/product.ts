import { readFileSync } from 'node:fs'

/** Where the product is, and a secret key for it: a server's view of it. */
export type ServerProduct = { url: string; secretKey: string }

/** From the environment, or as `npm start` leaves it: at its usual port, with the key of the first run. */
export function serverProduct(): ServerProduct {
  const { ASSAY_URL: url = 'http://127.0.0.1:4400', ASSAY_KEY: key } = process.env
  if (key !== undefined) return { url, secretKey: key }
  const firstRun: { secretKey: string } = JSON.parse(readFileSync('.assay/first-run.json', 'utf8'))
  return { url, secretKey: firstRun.secretKey }
}
