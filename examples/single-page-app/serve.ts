/** `npx node examples/single-page-app/serve.ts`, with a running product. */
import { localProduct, serveExample } from '../static-server.ts'

const { url } = await serveExample(import.meta.dirname, localProduct(), 4501)
console.log(`The application is open at ${url}`)
