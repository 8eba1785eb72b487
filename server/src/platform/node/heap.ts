import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/**
 * V8 collects garbage when it needs space, and an idle process may need none for hours: what a start leaves behind
 * would stay. Takes about 50 ms of the calling thread.
 */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
