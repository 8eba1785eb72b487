import { useCallback, useEffect, useState } from 'react'
import type { AroundNavHandler } from 'wouter'

/** Asked before another page is opened; of one page at a time. */
let ask: ((leave: () => void) => void) | null = null
/** The address of the page that is asked for. */
let here = ''

const isElsewhere = (href: string) => new URL(href, location.href).pathname !== location.pathname

/** Every link and every button that leads to another page passes here. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  if (ask === null || !isElsewhere(to)) navigate(to, options)
  else ask(() => navigate(to, options))
}

/** What has no changes left to lose, such as a board that was just deleted, is left without a question. */
export function leaveFreely(): void {
  ask = null
}

/** The browser is back there already: the page is put on top of it again, so that leaving is one step back. */
function onBack(event: PopStateEvent): void {
  if (ask === null || !isElsewhere(here)) return
  event.stopImmediatePropagation()
  history.pushState(null, '', here)
  ask(() => history.back())
}
// Here and not in the page, so that it comes before the router, which would show the other page at once.
addEventListener('popstate', onBack)

type LeaveGuard = { isAsking: boolean; leave: () => void; stay: () => void }

/** While there are unsaved changes: links, buttons, the way back and closing the tab ask first. */
export function useLeaveGuard(isChanged: boolean): LeaveGuard {
  const [pending, setPending] = useState<{ leave: () => void } | null>(null)
  useEffect(() => {
    here = location.href
  })
  useEffect(() => {
    if (!isChanged) return
    const own = (leave: () => void) => setPending({ leave })
    ask = own
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', onUnload)
    return () => {
      if (ask === own) ask = null
      removeEventListener('beforeunload', onUnload)
    }
  }, [isChanged])
  const stay = useCallback(() => setPending(null), [])
  const leave = () => {
    leaveFreely()
    pending?.leave()
  }
  return { isAsking: pending !== null, leave, stay }
}
