import { createJobs, type Jobs } from './computation/jobs.ts'
import { type Context, createContext } from './context.ts'

export type Attribution = {
  context: Context
  jobs: Jobs
}

export function createAttribution(options: Omit<Context, 'alone'>): Attribution {
  const context = createContext(options)
  return { context, jobs: createJobs(context) }
}
