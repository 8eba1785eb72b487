/** `npx node examples/shop-page/serve.ts`, with a running product. */
import { localProduct, serveExample } from '../static-server.ts'

const { url } = await serveExample(import.meta.dirname, localProduct(), 4500)
console.log(`The shop is open at ${url}`)
