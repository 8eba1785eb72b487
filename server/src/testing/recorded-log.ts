import { systemClock } from '../platform/clock.ts'
import { createLogger, type Logger, type LoggerOptions } from '../platform/logging/logger.ts'

export type LogEntry = { level: string; time: string; component: string; message: string } & Record<
  string,
  unknown
>

/** A logger whose entries a test can read. */
export function recordLog(options: Partial<LoggerOptions> = {}): { logger: Logger; entries: LogEntry[] } {
  const entries: LogEntry[] = []
  const write = (line: string) => void entries.push(JSON.parse(line))
  return {
    logger: createLogger({ level: 'debug', format: 'json', now: systemClock, write, ...options }),
    entries,
  }
}
