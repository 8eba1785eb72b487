import { passive } from '../event.ts'
import type { Capture } from './capture.ts'

/** A script that shows a new page sets its title a moment later. */
const titleMs = 50

type ViewCapture = Capture & { visitor: { countPage: () => void } }

/** Page views, and how long a page was visible: visible parts of one view add up. */
export function capturePageViews({ track, pages, guard, now, visitor }: ViewCapture): void {
  let shownAt: number | undefined
  let send: (() => void) | undefined

  const sendNow = (): void => {
    send?.()
    send = undefined
  }

  pages.onView(() => {
    const ts = now()
    sendNow()
    send = () => {
      visitor.countPage()
      track('$pageview', { ...pages.current() }, { ts })
    }
    setTimeout(guard(sendNow), titleMs)
    shownAt = document.hidden ? undefined : performance.now()
  })

  pages.onLeave(() => {
    sendNow()
    if (shownAt === undefined) return
    const durationMs = Math.round(performance.now() - shownAt)
    shownAt = undefined
    track('page_leave', { duration_ms: durationMs }, passive)
  })

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) shownAt = performance.now()
  })
}
