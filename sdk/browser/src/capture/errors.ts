import { createErrorReport, messageOf, type ReportError } from '../error-report.ts'
import { type Capture, listen } from './capture.ts'

/** Uncaught errors of the page; `report` is for caught ones. */
export function captureErrors(capture: Capture, isAutomatic: boolean): ReportError {
  const send = createErrorReport(capture)
  if (isAutomatic) {
    listen(capture, 'error', ({ error, message }) => {
      // Without a message it is an image or a script that did not load, not an error of the program.
      if (message) send(error, messageOf(error ?? message), false)
    })
    listen(capture, 'unhandledrejection', ({ reason }) => send(reason, messageOf(reason), false))
  }
  return (error, tags) => send(error, messageOf(error), true, tags)
}
