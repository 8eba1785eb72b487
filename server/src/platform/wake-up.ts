import type { Config } from '../config.ts'
import type { Control } from '../store/control.ts'

export type WakeUpNeeds = {
  control: Pick<Control, 'listen' | 'notify'>
  config: Pick<Config, 'roles' | 'replicatedLog'>
}

type WakeUp = {
  /** Work was asked for. */
  ask: () => void
  /** Hears of what other nodes were asked for. */
  listen: () => Promise<void>
}

/** Lets work begin at once: here, or on a node with the role `jobs`. If that fails, the next poll finds the work. */
export function createWakeUp({ control, config }: WakeUpNeeds, channel: string, work: () => void): WakeUp {
  const isHere = config.roles.includes('jobs')
  return {
    ask: isHere ? work : () => void control.notify(channel, '').catch(() => {}),
    listen: async () => {
      if (isHere && config.replicatedLog !== undefined) await control.listen(channel, work, work)
    },
  }
}
