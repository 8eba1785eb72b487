/** For run times at the edge: a request runs all of it, and is answered with the outcome. */
import { everything } from './everything.ts'

export default {
  async fetch(_request: Request, env: { SETTINGS: string }): Promise<Response> {
    return new Response(JSON.stringify(await everything(JSON.parse(env.SETTINGS))))
  },
}
