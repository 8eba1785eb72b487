import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { setStanding } from '../api/connection.ts'
import { now } from '../clock.ts'

/** Delay between attempts to load a page while the server is unreachable. */
const againMs = 2_000
/** A reload this soon after the last one would not help. */
const reloadMsMin = 60_000
const memory = 'assay.reloaded'

type Page<Props> = { default: ComponentType<Props> }
export type LoadedPage<Props> = LazyExoticComponent<ComponentType<Props>> & {
  /** Begins to load its code before it is drawn. */
  ahead: () => void
}

/** A page whose code is loaded on demand. */
export function page<Props>(load: () => Promise<Page<Props>>): LoadedPage<Props> {
  // A failure is shown, and tried again, when the page is drawn; the browser loads a module once.
  const ahead = () => void load().catch(() => undefined)
  return Object.assign(
    lazy(() => loadPatiently(load)),
    { ahead },
  )
}

/** While the server is away it is tried until it answers: what the rest of the page holds is not given up for it. */
async function loadPatiently<Props>(load: () => Promise<Page<Props>>): Promise<Page<Props>> {
  for (;;) {
    try {
      return await load()
    } catch (error) {
      if (await isThere()) return reloaded(error)
      setStanding('unreachable')
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
}

function isThere(): Promise<boolean> {
  return fetch('/', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** After an update of the product the files of this page are gone: the page as it is now knows the new ones. */
function reloaded(error: unknown): Promise<never> {
  const lastMs = Number(sessionStorage.getItem(memory) ?? 0)
  if (now() - lastMs < reloadMsMin) throw error
  sessionStorage.setItem(memory, String(now()))
  location.reload()
  return new Promise(() => {})
}
