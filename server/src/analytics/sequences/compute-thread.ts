import { parentPort } from 'node:worker_threads'
import { Problem, type ProblemOptions, type ProblemSlug } from '@assay/contract'
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

function tell({ number, asked }: ComputeRequest): ComputeAnswer {
  try {
    return { number, answer: runComputation(asked, kept) }
  } catch (error) {
    if (error instanceof Problem) return { number, refusal: { slug: error.slug, options: error.options } }
    return { number, failure: error }
  }
}

parentPort?.on('message', (ask: ComputeRequest) => parentPort?.postMessage(tell(ask)))
