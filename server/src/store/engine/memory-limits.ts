import { machineMemory } from '../../platform/machine-memory.ts'
import type { EngineConnection } from './engine-connection.ts'

/** On machines with less memory statements go to files sooner than they need to. */
const memoryLeast = 4_000_000_000

/** What a statement may take of the memory of the process, and from when on it moves groups and rows to files. */
export function memoryLimits(memory: number): Record<string, number> {
  const own = Math.max(memory, memoryLeast) / 6
  return {
    max_memory_usage: Math.round(own),
    max_bytes_before_external_group_by: Math.round(own / 4),
    max_bytes_before_external_sort: Math.round(own / 4),
  }
}

/** The native engine runs in our process and would take nine tenths of the machine. Its limits are set first. */
export function withMemoryLimits(connection: EngineConnection, memory = machineMemory): EngineConnection {
  const settings = Object.entries(memoryLimits(memory)).map(([name, value]) => `${name} = ${value}`)
  let limited: Promise<unknown> | null = null
  const ready = () => {
    limited ??= connection.command({ query: `SET ${settings.join(', ')}` })
    return limited
  }
  return {
    query: (call) => ready().then(() => connection.query(call)),
    command: (call) => ready().then(() => connection.command(call)),
    exec: (call) => ready().then(() => connection.exec(call)),
    insert: (call) => ready().then(() => connection.insert(call)),
    ping: (call) => connection.ping(call),
    close: () => connection.close(),
  }
}
