import type { Context } from '../command.ts'
import { misuse } from '../failure.ts'
import { findProject } from '../project/project.ts'

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
