import { cpus, loadavg, totalmem } from 'node:os'
import { installedEngines } from '../../server/src/store/engine/open.ts'
import type { Side } from './side.ts'

type Machine = Readonly<Record<string, string | number>>

/** What a figure depends on beyond the product: the head of every report. */
export async function describeMachine(sides: readonly Side[]): Promise<Machine> {
  const [cpu] = cpus()
  const [fastest] = await installedEngines()
  const asked = process.env.ASSAY_ENGINE
  return {
    engine: asked === undefined || asked === 'auto' ? (fastest ?? 'none') : asked,
    node: process.version,
    cores: cpus().length,
    cpu: cpu?.model ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    architecture: process.arch,
    loadBefore: Number((loadavg()[0] ?? 0).toFixed(2)),
    ...Object.fromEntries(sides.map(({ name, commit }) => [sides.length === 1 ? 'commit' : name, commit])),
  }
}

export const formatMachine = (machine: Machine): string =>
  Object.entries(machine)
    .map(([name, value]) => `${name} ${value}`)
    .join(' · ')
