import { passive } from '../event.ts'
import type { Capture } from './capture.ts'

type Metric = 'TTFB' | 'FCP' | 'LCP' | 'CLS' | 'INP'

/** Good up to the first, poor above the second: web.dev/articles/defining-core-web-vitals-thresholds. */
const thresholds: Readonly<Record<Metric, readonly [good: number, poor: number]>> = {
  TTFB: [800, 1800],
  FCP: [1800, 3000],
  LCP: [2500, 4000],
  CLS: [0.1, 0.25],
  INP: [200, 500],
}

type Shift = PerformanceEntry & { value: number; hadRecentInput: boolean }
type Interaction = PerformanceEntry & { interactionId?: number }
type EntryTypes = {
  paint: PerformanceEntry
  'largest-contentful-paint': PerformanceEntry
  'layout-shift': Shift
  event: Interaction
  'first-input': Interaction
}

/** Shifts less than a second apart belong together, in windows of at most five: web.dev/articles/cls. */
const shiftGapMs = 1_000
const shiftWindowMs = 5_000
/** One outlier is ignored per fifty interactions: web.dev/articles/inp. Keeping ten is enough for 500. */
const forgivenEvery = 50
const slowestMax = 10
/** Event Timing reports nothing shorter. */
const eventMsMin = 16

/** The five web vitals of a loaded page, sent when it is first hidden. Pages shown by a script have none. */
export function captureVitals({ track, pages, guard }: Capture): void {
  const values: Partial<Record<Metric, number>> = {}
  const observers: PerformanceObserver[] = []

  function observe<Type extends keyof EntryTypes>(type: Type, see: (entry: EntryTypes[Type]) => void): void {
    // A browser that does not support the type throws or stays silent: then the metric is missing.
    const observer = new PerformanceObserver(
      guard((list) => {
        // boundary: a browser returns entries of the observed type.
        for (const entry of list.getEntries() as EntryTypes[Type][]) see(entry)
      }),
    )
    if (!PerformanceObserver.supportedEntryTypes.includes(type)) return
    observer.observe({ type, buffered: true, ...(type === 'event' && { durationThreshold: eventMsMin }) })
    observers.push(observer)
  }

  // A page loaded in the background was painted when it became visible, not when it was ready.
  const isSeen = !document.hidden
  if (isSeen) {
    observe('paint', ({ name, startTime }) => {
      if (name === 'first-contentful-paint') values.FCP = startTime
    })
    observe('largest-contentful-paint', ({ startTime }) => {
      values.LCP = startTime
    })
  }
  observeShifts(observe, (value) => {
    values.CLS = value
  })
  observeInteractions(observe, (value) => {
    values.INP = value
  })

  const report = (): void => {
    for (const observer of observers.splice(0)) observer.disconnect()
    const [navigation] = performance.getEntriesByType('navigation')
    if (navigation instanceof PerformanceNavigationTiming) values.TTFB = navigation.responseStart
    for (const [metric, [good, poor]] of Object.entries(thresholds)) {
      // boundary: the keys of the table are the metrics.
      const value = values[metric as Metric]
      if (value === undefined) continue
      const rating = value <= good ? 'good' : value <= poor ? 'needs-improvement' : 'poor'
      const rounded = Math.round(value * 1000) / 1000
      track('web_vital', { metric, value: rounded, rating, url }, passive)
    }
  }
  const { url } = pages.current()
  let isSent = false
  pages.onLeave(() => {
    if (!isSent) report()
    isSent = true
  })
}

type Observe = <Type extends keyof EntryTypes>(type: Type, see: (entry: EntryTypes[Type]) => void) => void

/** The worst window of layout shifts without recent input. */
function observeShifts(observe: Observe, note: (value: number) => void): void {
  let worst = 0
  let sum = 0
  let beganAt = 0
  let lastAt = 0
  note(0)
  observe('layout-shift', ({ value, startTime, hadRecentInput }) => {
    if (hadRecentInput) return
    if (startTime - lastAt > shiftGapMs || startTime - beganAt > shiftWindowMs) {
      sum = 0
      beganAt = startTime
    }
    lastAt = startTime
    sum += value
    worst = Math.max(worst, sum)
    note(worst)
  })
}

/** The slowest interaction, without outliers when there were very many. */
function observeInteractions(observe: Observe, note: (value: number) => void): void {
  const durations = new Map<number, number>()
  const see = ({ interactionId, duration }: Interaction): void => {
    if (!interactionId) return
    durations.set(interactionId, Math.max(durations.get(interactionId) ?? 0, duration))
    const slowest = [...durations.values()].sort((a, b) => b - a).slice(0, slowestMax)
    note(slowest[Math.min(slowest.length - 1, Math.floor(durations.size / forgivenEvery))] ?? 0)
  }
  observe('event', see)
  observe('first-input', see)
}
