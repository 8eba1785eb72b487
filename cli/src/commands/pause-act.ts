import { type Context, serverOptions } from '../command.ts'
import { misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'

/** Options of a command that lists, pauses and resumes. */
export const pauseOptions = {
  ...serverOptions,
  site: {
    type: 'string',
    value: 'id',
    help: 'list: those of this site (else the site of assay.json, or all)',
  },
} as const

/** `list`, or `pause` and `resume` of something by its id. */
export function readPauseAct({ positionals, options, world }: Context, what: string, usage: string) {
  const [act, id, ...rest] = positionals
  const isList = act === 'list' && id === undefined
  const isOfOne = (act === 'pause' || act === 'resume') && id !== undefined
  if (rest.length > 0 || (!isList && !isOfOne)) {
    throw misuse(`Name an action, and for pause and resume ${what}.`, usage)
  }
  const project = findProject(world.directory)
  return { act, id: id ?? null, site: options.text('site') ?? project?.config.site, project }
}
