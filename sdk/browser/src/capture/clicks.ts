import { describeElement, elementOf } from '../page/element.ts'
import { type Capture, listen } from './capture.ts'

const interactive =
  'a,button,input,select,textarea,label,summary,option,[role=button],[role=link],[role=tab],[role=menuitem],[onclick],[data-name]'

/** Clicks on clickable elements, with a fingerprint that finds the element again after a redesign. */
export function captureClicks(capture: Capture): void {
  listen(capture, 'click', (event) => {
    const element = clickedOf(event)
    if (element) capture.track('$click', describeElement(element))
  })
}

/** The nearest clickable element. */
export function clickedOf(event: Event): Element | undefined {
  const target = touchedOf(event)
  return target?.closest(interactive) ?? (target && isPointed(target) ? target : undefined)
}

function touchedOf(event: Event): Element | undefined {
  const target = elementOf(event)
  // A label forwards its click to its field, and that click is counted.
  const label = target?.closest('label')
  return label?.control && label.control !== target ? undefined : target
}

/** Scripts make anything clickable; a careful page shows a pointer there. */
const isPointed = (element: Element): boolean => getComputedStyle(element).cursor === 'pointer'

/** From studies of other tools: this many clicks within a second on one spot mean that nothing happened. */
const rageClicksMin = 3
const rageMs = 1_000
const ragePixels = 30

/** One event per burst, sent when the burst ends, so that it has the number of clicks. */
export function captureRageClicks(capture: Capture): void {
  const { track, pages } = capture
  let burst: { element: Element; x: number; y: number; count: number } | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  const end = (): void => {
    if (burst && burst.count >= rageClicksMin) {
      const { element, selector, text } = describeElement(burst.element)
      track('rage_click', { element, selector, text, click_count: burst.count })
    }
    burst = undefined
  }

  pages.onLeave(end)
  listen(capture, 'click', (event) => {
    const element = touchedOf(event)
    if (!element) return
    const { clientX: x, clientY: y } = event
    clearTimeout(timer)
    if (!burst || Math.abs(burst.x - x) > ragePixels || Math.abs(burst.y - y) > ragePixels) {
      end()
      burst = { element, x, y, count: 0 }
    }
    burst.count += 1
    timer = setTimeout(capture.guard(end), rageMs)
  })
}
