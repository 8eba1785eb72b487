import { type Logger, pino } from 'pino'
import type { Clock } from '../clock.ts'
import { errorKind, errorStack } from './error-stack.ts'
import { logText, printable } from './log-text.ts'

export type { Logger }

/** The default comes first. */
export const logLevels = ['info', 'debug', 'warn', 'error'] as const
export const logFormats = ['auto', 'text', 'json'] as const
export type LogLevel = (typeof logLevels)[number]
export type LogFormat = (typeof logFormats)[number]

export type LoggerOptions = {
  level: LogLevel
  format: 'text' | 'json'
  now: Clock
  /** Takes one entry, without its line break. */
  write: (entry: string) => void
}

/** Prints what an operator has to see, such as a sign-in link without a mail server. */
export type Print = (line: string) => void

/** Text for people at a terminal, JSON for log collectors. */
export function chooseFormat(wanted: LogFormat, isTerminal: boolean): 'text' | 'json' {
  return wanted === 'auto' ? (isTerminal ? 'text' : 'json') : wanted
}

/**
 * The logger of the process. It names no component: pass a child that does, `logger.child({ component:
 * 'loader' })`. An error goes under `err`, and is written as its class and its stack.
 */
export function createLogger({ level, format, now, write }: LoggerOptions): Logger {
  const stream = {
    write: (line: string) => write(format === 'text' ? logText(line) : line.trimEnd()),
  }
  return pino(
    {
      level,
      // Without process id and host name: log collectors add them.
      base: null,
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: withStack },
    },
    stream,
  )
}

/** For callers that want no log. */
export const silentLogger: Logger = pino({ level: 'silent' })

/**
 * Plain lines on a terminal, entries otherwise, regardless of the level: without the link no one could sign
 * in.
 */
export function createPrint(
  { format, write }: Pick<LoggerOptions, 'format' | 'write'>,
  logger: Logger,
): Print {
  if (format === 'text') return (line) => write(printable(line))
  const always = logger.child({ component: 'server' }, { level: 'info' })
  return (line) => always.info(line)
}

function withStack({ err, ...fields }: Record<string, unknown>): Record<string, unknown> {
  return err === undefined ? fields : { ...fields, kind: errorKind(err), stack: errorStack(err) }
}
