import { parentPort } from 'node:worker_threads'
import { Problem, type ProblemOptions, type ProblemSlug } from '@assay/contract'
import { type Reckoning, type ReckoningName, type Reckonings, reckon } from './computations.ts'

export type Ask = { number: number; asked: Reckoning }
/** A refusal is sent with all its fields, since its class is lost between threads. */
export type Told = { number: number } & (
  | { answer: Reckonings[ReckoningName]['answer'] }
  | { refusal: { slug: ProblemSlug; options: ProblemOptions } }
  | { failure: unknown }
)

function tell({ number, asked }: Ask): Told {
  try {
    return { number, answer: reckon(asked) }
  } catch (error) {
    if (error instanceof Problem) return { number, refusal: { slug: error.slug, options: error.options } }
    return { number, failure: error }
  }
}

parentPort?.on('message', (ask: Ask) => parentPort?.postMessage(tell(ask)))
