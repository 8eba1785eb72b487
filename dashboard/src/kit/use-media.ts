import { useCallback, useSyncExternalStore } from 'react'

/** Whether the screen fits a media query now. */
function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (notify: () => void) => {
      const media = window.matchMedia(query)
      media.addEventListener('change', notify)
      return () => media.removeEventListener('change', notify)
    },
    [query],
  )
  return useSyncExternalStore(subscribe, () => window.matchMedia(query).matches)
}

/** A phone, or a window as narrow as one: the places are below, where a thumb is. */
export const useIsPhone = () => useMedia('(max-width: 720px)')

/** As narrow as an upright tablet. */
export const useIsTablet = () => useMedia('(max-width: 1000px)')
