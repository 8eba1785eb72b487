import { createJobs, type Jobs } from './computation/jobs.ts'
import { type Context, createContext } from './context.ts'

export type Attribution = {
  room: Context
  jobs: Jobs
}

export function createAttribution(options: Omit<Context, 'alone'>): Attribution {
  const room = createContext(options)
  return { room, jobs: createJobs(room) }
}
