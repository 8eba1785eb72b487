import { passive } from '../event.ts'
import { type Capture, listen } from './capture.ts'

/**
 * Maximum scroll depth, sent when the page is left, and again only if the visitor returned and scrolled
 * further.
 */
export function captureScroll(capture: Capture): void {
  const { track, pages } = capture
  let deepest = 0
  let sentDepth = 0
  let isMeasuring = false

  const measure = (): void => {
    isMeasuring = false
    const { scrollHeight } = document.documentElement
    deepest = Math.max(deepest, Math.min(100, Math.round((100 * (scrollY + innerHeight)) / scrollHeight)))
  }

  pages.onView(() => {
    deepest = 0
    sentDepth = 0
  })
  // Measuring forces a layout, so once per frame is enough.
  listen(capture, 'scroll', () => {
    if (!isMeasuring) requestAnimationFrame(capture.guard(measure))
    isMeasuring = true
  })
  pages.onLeave(() => {
    measure()
    if (deepest <= sentDepth) return
    sentDepth = deepest
    track('scroll_depth', { percent: deepest }, passive)
  })
}
