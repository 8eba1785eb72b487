import type { Guard } from '../delivery/losses.ts'
import { cleanUrl } from './page-address.ts'

type Page = { url: string; title: string; referrer: string }

/** The pages of this visit in order: those that are loaded and those that a script shows. */
export type Pages = {
  current: () => Page
  /** Calls back for the current page and for each later one. */
  onView: (see: () => void) => void
  /** Calls back when a page is left or hidden, which on a phone may be the last event of a page. */
  onLeave: (leave: () => void) => void
}

type Move = History['pushState']

export function watchPages(guard: Guard, afterLeave: () => void): Pages {
  let url = cleanUrl(location.href)
  let came: string | undefined
  const views: (() => void)[] = []
  const leaves: (() => void)[] = []

  const leave = (): void => {
    for (const callBack of leaves) guard(callBack)()
  }
  const view = (): void => {
    for (const callBack of views) guard(callBack)()
  }
  const hide = (): void => {
    leave()
    afterLeave()
  }

  /** A replaced URL is the same page unless its path differs: scripts record filters and tabs that way. */
  const moved = guard((isReplaced: boolean): void => {
    const next = cleanUrl(location.href)
    const isSame = isReplaced ? pathOf(next) === pathOf(url) : next === url
    if (isSame) {
      url = next
      return
    }
    leave()
    came = url
    url = next
    view()
  })

  function follow(name: 'pushState' | 'replaceState'): void {
    const move: Move = history[name]
    history[name] = function (this: History, ...args: Parameters<Move>): void {
      move.apply(this, args)
      moved(name === 'replaceState')
    }
  }

  follow('pushState')
  follow('replaceState')
  addEventListener('popstate', () => moved(false))
  addEventListener('hashchange', () => moved(false))
  addEventListener('pagehide', guard(hide))
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) view()
  })
  document.addEventListener(
    'visibilitychange',
    guard(() => {
      if (document.visibilityState === 'hidden') hide()
    }),
  )

  return {
    current: () => ({
      url,
      title: document.title || pathOf(url),
      referrer: came ?? cleanUrl(document.referrer),
    }),
    onView(see) {
      views.push(see)
      guard(see)()
    },
    onLeave: (callBack) => void leaves.push(callBack),
  }
}

const pathOf = (url: string): string => url.replace(/\?[^#]*/, '')
