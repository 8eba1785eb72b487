import { join } from 'node:path'
import type { Answer, Ask } from './instrumented.ts'
import type { Product } from './product.ts'
import { instrumentedProgramIn } from './side.ts'

/** To start in place of the product's own entry. */
export const instrumentedProgram = instrumentedProgramIn(join(import.meta.dirname, '..', '..'))

export function askInstrumented({ child }: Product, asked: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    child.once('message', (answer) => {
      child.removeListener('exit', ended)
      // boundary: our own program sent it.
      const reply = answer as Answer
      if (reply.kind === 'failed') reject(new Error(`${asked.kind}: ${reply.reason}`))
      else resolve(reply)
    })
    const ended = () => reject(new Error('the instrumented product ended'))
    child.once('exit', ended)
    child.send(asked)
  })
}
