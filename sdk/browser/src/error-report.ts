import type { Properties } from './event.ts'
import { scrub } from './text.ts'

/** An endless loop of errors is one problem, not thousands. */
const errorsPerPageMax = 20
const messageCharactersMax = 500
const stackCharactersMax = 4_000

export type ReportError = (error: unknown, tags?: Record<string, string>) => void

/** What is needed of a page, or of the screens of an app. */
type Source = {
  track: (event: string, properties: Properties) => void
  pages: { current: () => { url?: string }; onView: (see: () => void) => void }
}

type SendError = (error: unknown, message: string, isHandled: boolean, tags?: Record<string, string>) => void

/** Turns errors into events, a bounded number for each page. */
export function createErrorReport({ track, pages }: Source): SendError {
  let count = 0
  pages.onView(() => {
    count = 0
  })
  return (error, message, isHandled, tags) => {
    if (count++ >= errorsPerPageMax) return
    const { name = undefined, stack = undefined } = error instanceof Error ? error : {}
    track('error', {
      message: scrub(message).slice(0, messageCharactersMax) || 'Unknown error',
      name,
      // URLs in a stack may contain personal data in their query; lines and columns follow it.
      stack: stack?.replace(/[?#][^\s:)]*/g, '').slice(0, stackCharactersMax),
      handled: isHandled,
      url: pages.current().url,
      tags,
    })
  }
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
