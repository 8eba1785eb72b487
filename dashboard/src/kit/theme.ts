import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const memory = 'assay.theme'
const dark = window.matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()

function chosen(): Theme {
  const kept = localStorage.getItem(memory)
  return themes.find((theme) => theme === kept) ?? 'system'
}

/** Applies the theme, before the first paint and whenever it changes. */
export function applyTheme(): void {
  const theme = chosen()
  const isDark = theme === 'dark' || (theme === 'system' && dark.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const notify of listeners) notify()
}

export function setTheme(theme: Theme): void {
  localStorage.setItem(memory, theme)
  applyTheme()
}

const subscribe = (notify: () => void) => {
  listeners.add(notify)
  return () => listeners.delete(notify)
}

/** The theme that is shown: light or dark. */
export function useTheme(): string {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme ?? 'light')
}

export function useChosenTheme(): Theme {
  return useSyncExternalStore(subscribe, chosen)
}

dark.addEventListener('change', applyTheme)
