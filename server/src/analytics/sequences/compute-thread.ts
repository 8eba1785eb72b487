import { parentPort } from 'node:worker_threads'
import { Problem, type ProblemOptions, type ProblemSlug } from '@assay/contract/problems'
import { KeptSites } from '../kept-rows/kept-sites.ts'
import { type Computation, type ComputationName, type Computations, runComputation } from './computations.ts'

export type ComputeRequest = { number: number; asked: Computation }
/** A refusal is sent with all its fields, since its class is lost between threads. */
export type ComputeAnswer = { number: number } & (
  | { answer: Computations[ComputationName]['answer'] }
  | { refusal: { slug: ProblemSlug; options: ProblemOptions } }
  | { failure: unknown }
)

const kept = new KeptSites()

async function tell({ number, asked }: ComputeRequest): Promise<ComputeAnswer> {
  try {
    return { number, answer: await runComputation(asked, kept) }
  } catch (error) {
    if (error instanceof Problem) return { number, refusal: { slug: error.slug, options: error.options } }
    return { number, failure: error }
  }
}

/** One after the other, in the order of their arrival. */
let last: Promise<void> = Promise.resolve()
parentPort?.on('message', (ask: ComputeRequest) => {
  last = last.then(async () => parentPort?.postMessage(await tell(ask)))
})
