/** For edge run times: a request runs everything and is answered with the result. */
import { everything } from './everything.ts'

export default {
  async fetch(_request: Request, env: { SETTINGS: string }): Promise<Response> {
    return new Response(JSON.stringify(await everything(JSON.parse(env.SETTINGS))))
  },
}
