import { scrub } from '../text.ts'
import { type Capture, listen } from './capture.ts'

/** An endless loop of errors is one problem, not thousands. */
const errorsPerPageMax = 20
const messageCharactersMax = 500
const stackCharactersMax = 4_000

export type ReportError = (error: unknown, tags?: Record<string, string>) => void

/** Uncaught errors of the page; `report` is for caught ones. */
export function captureErrors(capture: Capture, isAutomatic: boolean): ReportError {
  let count = 0
  const send = (error: unknown, message: string, isHandled: boolean, tags?: Record<string, string>): void => {
    if (count++ >= errorsPerPageMax) return
    const { name = undefined, stack = undefined } = error instanceof Error ? error : {}
    capture.track('error', {
      message: scrub(message).slice(0, messageCharactersMax) || 'Unknown error',
      name,
      // URLs in a stack may contain personal data in their query; lines and columns follow it.
      stack: stack?.replace(/[?#][^\s:)]*/g, '').slice(0, stackCharactersMax),
      handled: isHandled,
      url: capture.pages.current().url,
      tags,
    })
  }
  capture.pages.onView(() => {
    count = 0
  })
  if (isAutomatic) {
    listen(capture, 'error', ({ error, message }) => {
      // Without a message it is an image or a script that did not load, not an error of the program.
      if (message) send(error, messageOf(error ?? message), false)
    })
    listen(capture, 'unhandledrejection', ({ reason }) => send(reason, messageOf(reason), false))
  }
  return (error, tags) => send(error, messageOf(error), true, tags)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
